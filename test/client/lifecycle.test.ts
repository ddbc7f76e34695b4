import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AlreadyExistsError,
  Content,
  FailedPreconditionError,
  type LifecycleEvent,
  type Mneme,
} from '../../clients/typescript/src/index.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { cleanUp, client } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

let server: ServedMneme;
let namespaces = 0;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

/** A client of a namespace that no other test uses. */
function fresh(): Mneme {
  namespaces += 1;
  return client(server.address, { namespace: `life-${namespaces}` });
}

const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);
const scope = { project: 'trips', agentType: 'planner', agent: 'ada' };

describe('client › lifecycle', () => {
  it('times to live, deletion and durations › are sent and returned', async () => {
    const mneme = fresh();
    const { session, durationMs } = await mneme.lifecycle.spawn({
      sessionId: 's',
      initialValues: { city: 'Oslo' },
      defaultTtlMs: 3_600_000,
      idleTtlMs: 86_400_000,
    });
    const plain = await mneme.lifecycle.spawn({ sessionId: 'plain', defaultTtlMs: 'never', idleTtlMs: 'never' });
    await mneme.session('plain').set('a', 1, { sessionDefaultTtlMs: 60_000 });
    const changed = await mneme.lifecycle.get('plain');
    await mneme.session('plain').set('a', 1, { sessionDefaultTtlMs: 'never' });
    const stats = await mneme.session('s').getStatistics();
    const refused = await failure(mneme.lifecycle.delete('s'));
    const deleted = await mneme.lifecycle.delete('s', { force: true, metadata: { why: 'asked for' } });
    let event: LifecycleEvent | undefined;
    for await (event of mneme.lifecycle.watchEvents({ start: 'oldest', transitions: ['delete'] })) break;

    expect(session).toMatchObject({ defaultTtlMs: 3_600_000, idleTtlMs: 86_400_000, idleExpireTime: expect.any(Date) });
    expect(durationMs).toBeGreaterThan(0);
    expect(Object.keys(plain.session)).not.toContain('idleTtlMs');
    expect(changed.defaultTtlMs).toBe(60_000);
    expect(Object.keys(await mneme.lifecycle.get('plain'))).not.toContain('defaultTtlMs');
    expect(stats).toMatchObject({ scope: { session: 's' }, usingFallback: false });
    expect(refused).toBeInstanceOf(FailedPreconditionError);
    expect(deleted).toMatchObject({ clearedCount: 1, clearedNoteCount: 0, clearedCheckpointCount: 0 });
    expect(event).toMatchObject({
      transition: 'delete',
      metadata: { why: 'asked for' },
      durationMs: expect.any(Number),
    });
  });

  it('a whole life cycle › is reported as it happens, and recall finds the episode from a later session', async () => {
    const mneme = fresh();
    const { session } = await mneme.lifecycle.spawn({
      sessionId: 's1',
      scope,
      initialValues: { city: 'Oslo', photo: new Content('image/png', new Uint8Array([1, 2])) },
      metadata: { run: '1' },
    });
    const paused = await mneme.lifecycle.pause('s1', { description: 'night', checkpointTtlMs: 60_000 });
    const resumed = await mneme.lifecycle.resume(session.name, { mode: 'merge' });
    const ended = await mneme.lifecycle.terminate('s1', {
      outcome: 'partial',
      taskDescription: 'book the ferry',
      lessons: ['ferries sell out early'],
      actions: ['asked the harbour', { description: 'waited', time: new Date(0) }],
      tokensUsed: 12,
    });
    const { hits } = await mneme.recall({ text: 'ferry', scope: { ...scope, session: 's2' } });

    expect(session).toMatchObject({ id: 's1', state: 'active', version: 1, metadata: { run: '1' } });
    expect(paused.checkpoint).toMatchObject({ description: 'night', keyCount: 2 });
    expect(paused.checkpoint.expireTime).toBeUndefined();
    expect(resumed.checkpoint.expireTime?.getTime()).toBeGreaterThan(Date.now());
    expect(resumed).toMatchObject({ restoredCount: 2, expiredCount: 0, session: { state: 'active' } });
    expect(ended).toMatchObject({ consolidatedCount: 2, clearedCheckpointCount: 1, truncated: false });
    expect(hits[0]?.memory).toMatchObject({ id: ended.episodeId, type: 'episode' });
    expect(await mneme.lifecycle.get('s1')).toMatchObject({ state: 'terminated', outcome: 'partial' });
  });

  it('lists › give sessions by scope and state, and checkpoints newest first', async () => {
    const mneme = fresh();
    for (const id of ['a', 'b']) await mneme.lifecycle.spawn({ sessionId: id, scope: { agent: id } });
    await mneme.lifecycle.pause('a', { checkpointId: 'first' });
    await mneme.lifecycle.resume('a');
    await mneme.lifecycle.pause('a', { checkpointId: 'second', pin: true });

    expect((await collect(mneme.lifecycle.list({ states: ['paused'] }))).map(({ id }) => id)).toEqual(['a']);
    expect((await collect(mneme.lifecycle.list({ scope: { agent: 'b' } }))).map(({ id }) => id)).toEqual(['b']);
    const checkpoints = await collect(mneme.lifecycle.listCheckpoints('a'));
    expect(checkpoints.map(({ id }) => id)).toEqual(['second', 'first']);
    expect(checkpoints[0]).not.toHaveProperty('expireTime');
  });

  it('a move that the state does not allow › a typed error with its reason', async () => {
    const mneme = fresh();
    await mneme.lifecycle.spawn({ sessionId: 's' });

    expect(await failure(mneme.lifecycle.spawn({ sessionId: 's' }))).toBeInstanceOf(AlreadyExistsError);
    const error = await failure(mneme.lifecycle.resume('s'));
    expect(error).toBeInstanceOf(FailedPreconditionError);
    expect(error).toMatchObject({ reason: 'SESSION_STATE', metadata: { state: 'active', transition: 'resume' } });
    expect(await failure(mneme.lifecycle.get('s', { scope: { agent: 'x' } }))).toMatchObject({
      reason: 'SESSION_SCOPE_MISMATCH',
    });
  });

  it('events of a consumer › go on where it stopped', async () => {
    const mneme = fresh();
    await mneme.lifecycle.spawn({ sessionId: 's' });
    const events = mneme.lifecycle.watchEvents({ start: 'oldest' });
    const first = (await events.next()).value as LifecycleEvent;
    await mneme.lifecycle.acknowledgeEvents('indexer', first);
    await events.return();
    await mneme.lifecycle.pause('s');
    const later = mneme.lifecycle.watchEvents({ consumer: 'indexer' });
    const second = (await later.next()).value as LifecycleEvent;
    await later.return();

    expect(first).toMatchObject({ transition: 'spawn', phase: 'after', session: { id: 's' } });
    expect(second).toMatchObject({ transition: 'pause' });
  });

  it('a hook › adds notes, vetoes, fails, and can be stopped', async () => {
    const mneme = fresh();
    // As long as a server waits for one: a busy machine is no hook that does not answer.
    const guard = { hook: 'guard', phases: ['before'], timeoutMs: 10_000 } as const;
    const hook = await mneme.lifecycle.serveHook(guard, async ({ transition, metadata }) => {
      if (metadata.fail) throw new Error('a defect');
      return transition === 'terminate' ? { veto: 'keep it' } : { metadata: { seen: 'yes' } };
    });
    const spawned = await mneme.lifecycle.spawn({ sessionId: 's' });
    const vetoed = await failure(mneme.lifecycle.terminate('s'));
    const failed = await mneme.lifecycle.pause('s', { metadata: { fail: '1' } });
    hook.stop();
    await hook.closed;

    expect(spawned.session.metadata).toEqual({ seen: 'yes' });
    expect(spawned.hookReports).toMatchObject([{ hook: 'guard', phase: 'before', result: 'ok' }]);
    expect(vetoed).toMatchObject({ reason: 'HOOK_VETOED' });
    expect(failed.hookReports).toMatchObject([{ result: 'failed', reason: 'a defect' }]);
  });
});
