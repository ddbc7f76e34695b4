import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetSessionRequest, ListSessionsRequest } from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { SessionState } from '../../../../gen/ts/mneme/v1/session.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { type SessionCalls, sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(SESSION_BACKENDS)('with sessions in %s', (backend) => {
  let mneme: TestServer;
  let calls: SessionCalls;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    calls = sessionCalls(mneme);
  });
  afterAll(() => mneme.stop());

  async function spawned() {
    const scope = { project: 'p', agentType: 'planner', agent: 'ada' };
    const { session } = await calls.spawn({ parent: freshNamespace(), sessionId: 's', scope });
    return { name: session?.name ?? '' };
  }

  describe('moves that a state does not allow', () => {
    it.each([
      ['resume of a running session', 'resume', 'active', [] as const],
      ['pause of a paused one', 'pause', 'paused', ['pause'] as const],
      ['pause of an ended one', 'pause', 'terminated', ['terminate'] as const],
      ['resume of an ended one', 'resume', 'terminated', ['terminate'] as const],
    ] as const)('%s › SESSION_STATE', async (_, move, state, before) => {
      const { name } = await spawned();
      for (const step of before) await calls[step]({ session: name });

      expect(await refusal(calls[move]({ session: name }))).toMatchObject({
        reason: 'SESSION_STATE',
        metadata: { state, transition: move },
      });
    });

    it('with another version than the session has › ABORTED', async () => {
      const { name } = await spawned();

      expect(await refusal(calls.pause({ session: name, ifVersion: 7n }))).toMatchObject({ code: 'ABORTED' });
      await calls.pause({ session: name, ifVersion: 1n });
    });
  });

  describe('GetSession and ListSessions', () => {
    it('addressed by another agent than it belongs to › SESSION_SCOPE_MISMATCH; by some of its parts › found', async () => {
      const { name } = await spawned();
      const { lifecycle } = mneme;
      const read = (of: object) =>
        ask(lifecycle, lifecycle.getSession, GetSessionRequest.fromPartial({ session: name, scope: of }));

      expect(await refusal(read({ agent: 'bob' }))).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'SESSION_SCOPE_MISMATCH',
        metadata: { part: 'agent', expected: 'bob', actual: 'ada' },
      });
      expect((await read({ project: 'p' })).session?.name).toBe(name);
    });

    it('with scope and states › returns matching sessions, in pages that have each once', async () => {
      const parent = freshNamespace();
      for (const id of ['a', 'b', 'c', 'd']) {
        await calls.spawn({ parent, sessionId: id, scope: { agent: id === 'c' ? 'bob' : 'ada' } });
      }
      await calls.pause({ session: `${parent}/sessions/d` });
      const { lifecycle } = mneme;
      const list = (request: object) =>
        ask(lifecycle, lifecycle.listSessions, ListSessionsRequest.fromPartial({ parent, ...request }));
      const ids: string[] = [];
      for (let pageToken = ''; ; ) {
        const page = await list({ scope: { agent: 'ada' }, pageSize: 1, pageToken });
        ids.push(...page.sessions.map(({ name }) => name.slice(-1)));
        pageToken = page.nextPageToken;
        if (pageToken === '') break;
      }

      expect(ids).toEqual(['a', 'b', 'd']);
      const paused = await list({ states: [SessionState.SESSION_STATE_PAUSED] });
      expect(paused.sessions.map(({ name }) => name.slice(-1))).toEqual(['d']);
    });
  });
});
