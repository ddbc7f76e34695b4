import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CheckpointKind, RestoreMode } from '../../../../gen/ts/mneme/v1/checkpoint.ts';
import { GetSessionRequest } from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { SessionOutcome, SessionState } from '../../../../gen/ts/mneme/v1/session.ts';
import { CreateCheckpointRequest, ListCheckpointsRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { initial, type SessionCalls, sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

interface EpisodeContent {
  readonly actions: readonly { readonly action: string }[];
  readonly duration_seconds: number;
}

describe.each(SESSION_BACKENDS)('with sessions in %s', (backend) => {
  let mneme: TestServer;
  let calls: SessionCalls;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    calls = sessionCalls(mneme);
  });
  afterAll(() => mneme.stop());

  const scope = { project: 'p', agentType: 'planner', agent: 'ada' };
  const namespaceOf = (parent: string) => parent.slice('namespaces/'.length);

  async function spawned(values: Record<string, unknown> = {}, extra = {}) {
    const parent = freshNamespace();
    const { session } = await calls.spawn({ parent, sessionId: 's', scope, initialValues: initial(values), ...extra });
    if (!session) throw new Error('no session');
    return { parent, name: session.name, session };
  }

  async function values(parent: string) {
    const key = { namespace: namespaceOf(parent), session: 's', nowUs: Date.now() * 1000 };
    const snapshot = await mneme.storage.sessions.snapshot(key);
    return Object.fromEntries(
      (snapshot?.entries ?? []).map(({ key: of, content }) => [of, JSON.parse(Buffer.from(content.data).toString())]),
    );
  }

  describe('Spawn', () => {
    it('with state and metadata › the session is active and holds them, null among them', async () => {
      const { parent, session } = await spawned({ goal: 'tea', none: null }, { metadata: { run: '7' } });

      expect(session).toMatchObject({
        name: `${parent}/sessions/s`,
        scope: { namespace: namespaceOf(parent), ...scope, session: 's' },
        state: SessionState.SESSION_STATE_ACTIVE,
        version: 1n,
        metadata: { run: '7' },
        frozen: false,
      });
      expect(await values(parent)).toEqual({ goal: 'tea', none: null });
    });

    it('metadata under a name that objects have by themselves › is kept as any other', async () => {
      const metadata = JSON.parse('{"__proto__":"a","constructor":"b"}') as object;
      const { name } = await spawned({}, { metadata });
      await calls.pause({ session: name, metadata: { why: 'lunch' } });

      const request = GetSessionRequest.fromPartial({ session: name });
      const { session } = await ask(mneme.lifecycle, mneme.lifecycle.getSession, request);
      expect(Object.entries(session?.metadata ?? {}).toSorted()).toEqual([
        ['__proto__', 'a'],
        ['constructor', 'b'],
        ['why', 'lunch'],
      ]);
    });

    it('without an id › makes one, the same for a repeated request', async () => {
      const request = { parent: freshNamespace(), requestId: randomUUID() };
      const first = await calls.spawn(request);
      const second = await calls.spawn(request);

      expect(second.session?.name).toBe(first.session?.name);
      expect(second.revision).toBe(first.revision);
    });

    it('of a session that is there › ALREADY_EXISTS, and the old one is as it was', async () => {
      const { parent } = await spawned({ a: 1 });
      const refused = await refusal(calls.spawn({ parent, sessionId: 's', initialValues: initial({ b: 2 }) }));

      expect(refused).toMatchObject({
        code: 'ALREADY_EXISTS',
        reason: 'SESSION_EXISTS',
        metadata: { state: 'active' },
      });
      expect(await values(parent)).toEqual({ a: 1 });
    });

    it('when one value is invalid › no session is created', async () => {
      const parent = freshNamespace();
      const initialState = [...initial({ ok: 1 }), { key: '', value: undefined }];
      const refused = await refusal(calls.spawn({ parent, sessionId: 's', initialValues: initialState }));

      expect(refused.code).toBe('INVALID_ARGUMENT');
      expect(refused.fields).toEqual(['initial_values[1].value', 'initial_values[1].key']);
      const request = GetSessionRequest.fromPartial({ session: `${parent}/sessions/s` });
      expect((await refusal(ask(mneme.lifecycle, mneme.lifecycle.getSession, request))).code).toBe('NOT_FOUND');
    });
  });

  describe('Pause and Resume', () => {
    it('one after the other › restore the contents, and the state changes back', async () => {
      const { parent, name } = await spawned({ step: 3, none: null });
      const paused = await calls.pause({ session: name, description: 'lunch', metadata: { why: 'lunch' } });
      const resumed = await calls.resume({ session: name });

      expect(paused.session).toMatchObject({ state: SessionState.SESSION_STATE_PAUSED, frozen: true, version: 2n });
      expect(paused.checkpoint).toMatchObject({ description: 'lunch', keyCount: 2 });
      expect(resumed).toMatchObject({
        session: { state: SessionState.SESSION_STATE_ACTIVE, frozen: false, version: 3n, metadata: { why: 'lunch' } },
        checkpoint: { id: paused.checkpoint?.id },
        restoredCount: 2,
        expiredCount: 0,
      });
      expect(await values(parent)).toEqual({ step: 3, none: null });
    });

    it('with an id that exists › ALREADY_EXISTS, and nothing changes', async () => {
      const { name } = await spawned();
      await calls.pause({ session: name, checkpointId: 'c' });
      await calls.resume({ session: name });
      const refused = await refusal(calls.pause({ session: name, checkpointId: 'c' }));

      expect(refused).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'CHECKPOINT_EXISTS' });
      expect((await session(name))?.state).toBe(SessionState.SESSION_STATE_ACTIVE);
    });

    it('to an older checkpoint, merging › keeps the other keys', async () => {
      const { parent, name } = await spawned({ a: 1 });
      await calls.pause({ session: name, checkpointId: 'first', allowWrites: true });
      await set(parent, 'a', 2);
      await set(parent, 'b', 2);
      await calls.resume({ session: name, checkpointId: 'first', mode: RestoreMode.RESTORE_MODE_MERGE });

      expect(await values(parent)).toEqual({ a: 1, b: 2 });
    });

    it('while paused › working memory is read-only unless allow_writes is set', async () => {
      const { parent, name } = await spawned({ a: 1 });
      await calls.pause({ session: name });

      await expect(set(parent, 'a', 2)).rejects.toMatchObject({ reason: 'SESSION_NOT_ACTIVE' });
    });

    it('to a checkpoint that is not there › NOT_FOUND, and the session still rests', async () => {
      const { name } = await spawned();
      await calls.pause({ session: name });
      const refused = await refusal(calls.resume({ session: name, checkpointId: 'other' }));

      expect(refused).toMatchObject({ code: 'NOT_FOUND', reason: 'CHECKPOINT_NOT_FOUND' });
      expect((await session(name))?.state).toBe(SessionState.SESSION_STATE_PAUSED);
    });

    it('several times › ListCheckpoints lists all that pauses made, newest first, page by page', async () => {
      const { name } = await spawned();
      for (const checkpointId of ['a', 'b', 'c']) {
        await calls.pause({ session: name, checkpointId });
        await calls.resume({ session: name });
      }
      await ask(mneme.working, mneme.working.createCheckpoint, CreateCheckpointRequest.fromPartial({ session: name }));
      const { working } = mneme;
      const kind = CheckpointKind.CHECKPOINT_KIND_LIFECYCLE;
      const list = (pageToken: string) =>
        ask(
          working,
          working.listCheckpoints,
          ListCheckpointsRequest.fromPartial({ session: name, pageSize: 2, pageToken, kind }),
        );
      const first = await list('');
      const second = await list(first.nextPageToken);

      expect([...first.checkpoints, ...second.checkpoints].map(({ id }) => id)).toEqual(['c', 'b', 'a']);
      expect(second.nextPageToken).toBe('');
    });
  });

  describe('Terminate', () => {
    it('with lessons › leaves an episode of state, actions and times, and erases the session', async () => {
      const { parent, name } = await spawned({ city: 'Oslo', secretKey: 'hush', none: null });
      await calls.pause({ session: name });
      await calls.resume({ session: name });
      const ended = await calls.terminate({
        session: name,
        outcome: SessionOutcome.SESSION_OUTCOME_FAILURE,
        taskDescription: 'book a trip',
        lessons: ['ask for dates first'],
        actions: [{ description: 'searched flights' }],
        redactKeys: ['secret*'],
        tokensUsed: 0n,
      });
      const memory = await get(mneme, ended.episode);
      const content = JSON.parse(String(memory.content?.body?.value ?? '{}')) as EpisodeContent;

      expect(ended).toMatchObject({
        consolidatedCount: 2,
        clearedCount: 3,
        clearedCheckpointCount: 1,
        truncated: false,
      });
      expect(ended.session).toMatchObject({ state: SessionState.SESSION_STATE_TERMINATED, episode: ended.episode });
      expect(memory).toMatchObject({ type: 'episode', scope: { ...scope, session: '' }, source: { uri: name } });
      expect(memory.importance).toBeGreaterThan(0.7);
      expect(memory.text).toContain('book a trip');
      expect(content).toMatchObject({
        outcome: 'failure',
        lessons: ['ask for dates first'],
        state: { city: 'Oslo', none: null, secretKey: { redacted: true } },
        tokens_used: 0,
        truncated: false,
      });
      expect(content.actions.map(({ action }) => action)).toEqual([
        'searched flights',
        'session spawn',
        'session pause',
        'session resume',
        'session terminate',
      ]);
      expect(content.duration_seconds).toBeGreaterThan(0);
      expect(await values(parent)).toEqual({});
    });

    it('repeated with its request id › returns the first answer and one episode', async () => {
      const { parent, name } = await spawned({ a: 1 });
      const request = { session: name, requestId: randomUUID() };
      const first = await calls.terminate(request);
      const second = await calls.terminate(request);

      const { activeDuration } = first.session ?? {};
      // Another revision that includes the episode, whose vector may have been made meanwhile.
      expect(second.memoryRevision).toBeGreaterThanOrEqual(first.memoryRevision);
      const { memoryRevision } = first;
      expect({ ...second, memoryRevision, session: { ...second.session, activeDuration } }).toEqual(first);
      const counts = await mneme.storage.view.count({ namespace: namespaceOf(parent), nowUs: 1 });
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(1);
    });

    it('a second time › FAILED_PRECONDITION that names state and move', async () => {
      const { name } = await spawned();
      await calls.terminate({ session: name });
      const refused = await refusal(calls.terminate({ session: name }));

      expect(refused).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'SESSION_STATE',
        metadata: { name, state: 'terminated', transition: 'terminate' },
      });
    });

    it('by two at once › one of them ends it', async () => {
      const { name } = await spawned({ a: 1 });
      const both = await Promise.allSettled([calls.terminate({ session: name }), calls.terminate({ session: name })]);

      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it('without episode, keeping working memory › does so', async () => {
      const { parent, name } = await spawned({ a: 1 });
      const ended = await calls.terminate({ session: name, skipEpisode: true, keepWorkingMemory: true });

      expect(ended).toMatchObject({ episode: '', clearedCount: 0 });
      expect(await values(parent)).toEqual({ a: 1 });
    });
  });

  async function session(name: string) {
    const { lifecycle } = mneme;
    const answer = await ask(lifecycle, lifecycle.getSession, GetSessionRequest.fromPartial({ session: name }));
    return answer.session;
  }

  function set(parent: string, key: string, value: unknown) {
    return mneme.storage.sessions.write({
      namespace: namespaceOf(parent),
      session: 's',
      ops: [
        {
          kind: 'set',
          key,
          content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify(value)) },
          expiry: { kind: 'never' },
        },
      ],
      limits: {
        keysMax: 100,
        valueBytesMax: 1e6,
        notesMax: 10,
        noteBytesMax: 1e6,
        checkpointsMax: 10,
        checkpointBytesMax: 1e6,
        changesMax: 100,
      },
      atUs: Date.now() * 1000,
    });
  }
});
