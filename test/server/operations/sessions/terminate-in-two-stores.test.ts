import { describe, expect, it } from '@jest/globals';
import type { LifecycleEvent } from '../../../../src/memory/lifecycle.ts';
import type { Leased, Work } from '../../../../src/server/jobs/leased-work.ts';
import { sessionJob } from '../../../../src/server/jobs/session-jobs.ts';
import { createLogger } from '../../../../src/server/logger.ts';
import type { LifecycleDeps } from '../../../../src/server/operations/sessions/lifecycle/lifecycle-deps.ts';
import { pauseSession } from '../../../../src/server/operations/sessions/lifecycle/pause-session.ts';
import { spawnSession } from '../../../../src/server/operations/sessions/lifecycle/spawn-session.ts';
import { sweepSessions } from '../../../../src/server/operations/sessions/lifecycle/sweep-sessions.ts';
import {
  type TerminateRequest,
  terminateSession,
} from '../../../../src/server/operations/sessions/lifecycle/terminate-session.ts';
import { dying, lifecycleDeps, SECOND_US, stores } from '../lifecycle-support.ts';
import { call } from '../support.ts';

const silent = createLogger({ logLevel: 'error', logFormat: 'json' }, { write: () => undefined });
const key = { namespace: 'n', session: 's' };
const request: TerminateRequest = {
  ...key,
  metadata: {},
  skipsEpisode: false,
  keepsWorkingMemory: false,
  conclusion: { outcome: 'success', task: 'tea', lessons: [], actions: [], isRedacted: () => false },
};
const repeated = { ...call, idempotency: { requestId: 'r', fingerprint: 'f' } };
/** Of a server that has just started. */
const sweep = (deps: LifecycleDeps) =>
  sweepSessions(deps, { eventRetentionMs: 1e9, startedAtUs: deps.clock.nowUs() }, call.signal);

async function standing() {
  const parts = stores();
  const deps = lifecycleDeps(parts);
  const content = { mediaType: 'application/json', data: Buffer.from('"Oslo"') };
  const scope = { project: '', agentType: '', agent: 'ada', session: '' };
  await spawnSession(deps, { ...key, scope, values: [{ key: 'city', content }], metadata: {} }, call);
  await pauseSession(
    deps,
    { ...key, metadata: {}, description: '', isPinned: true, allowsWrites: true, includesMemories: false },
    call,
  );
  return { parts, deps };
}

async function found({ sessions, view, events }: ReturnType<typeof stores>) {
  const record = await sessions.session(key);
  const snapshot = await sessions.snapshot({ ...key, nowUs: 1 });
  const page = await view.list({
    namespace: 'n',
    order: 'create_time_asc',
    limit: 10,
    bytesMax: 1e6,
    view: 'basic',
    nowUs: 1,
  });
  const received = (await events.read({ namespace: 'n', afterSequence: 0, limit: 100 }))
    .map(({ body }) => JSON.parse(body) as LifecycleEvent)
    .filter(({ transition }) => transition === 'terminate');
  const checkpoints = await sessions.checkpoints({ ...key, limit: 10, nowUs: 1 });
  return {
    state: record?.state,
    values: snapshot?.entries.length,
    checkpoints: checkpoints.length,
    episodes: page.memories.map(({ type, content }) => [
      type,
      String(Buffer.from(content?.data ?? [])).includes('Oslo'),
    ]),
    events: received.length,
  };
}

const ENDED = { state: 'terminated', values: 0, checkpoints: 0, episodes: [['episode', true]], events: 1 };

describe('Terminate with sessions and memories in two stores', () => {
  it('without failures › one episode, one event, no remains', async () => {
    const { parts, deps } = await standing();
    const ended = await terminateSession(deps, request, call);

    expect(ended).toMatchObject({ consolidatedCount: 1, clearedCount: 1, checkpointsClearedCount: 1 });
    expect(await found(parts)).toEqual(ENDED);
  });

  it.each([1, 2, 3].flatMap((write) => (['before', 'after'] as const).map((when) => [write, when] as const)))(
    'when the process dies at write %d, %s its effect › a restart finishes it, once',
    async (write, when) => {
      const { parts } = await standing();
      let writes = 0;
      const die = () => (++writes === write ? when : false);
      const dead = {
        ...parts,
        sessions: dying(parts.sessions, ['write'], die),
        store: dying(parts.store, ['write'], die),
      };
      await expect(terminateSession(lifecycleDeps(dead), request, repeated)).rejects.toThrow('died');
      const restarted = lifecycleDeps(parts);
      await sweep(restarted);
      await sweep(restarted);
      if (write === 1 && when === 'before') expect((await found(parts)).state).toBe('paused');
      else expect(await found(parts)).toEqual(ENDED);

      const again = await terminateSession(restarted, request, repeated);
      expect(again.session).toMatchObject({ state: 'terminated' });
      expect(again).toMatchObject({ consolidatedCount: 1, clearedCount: 1, checkpointsClearedCount: 1 });
      expect(await found(parts)).toEqual(ENDED);
    },
  );

  it('repeated before the job ran › the request itself completes the termination', async () => {
    const { parts } = await standing();
    let writes = 0;
    const store = dying(parts.store, ['write'], () => (++writes === 1 ? 'before' : false));
    const deps = lifecycleDeps({ ...parts, store });
    await expect(terminateSession(deps, request, repeated)).rejects.toThrow('died');

    await expect(terminateSession(deps, request, call)).rejects.toMatchObject({ reason: 'SESSION_STATE' });
    await terminateSession(deps, request, repeated);
    expect(await found(parts)).toEqual(ENDED);
  });

  it('another server starts while its call is at work, and finishes it › the call has the same answer; one episode, one event', async () => {
    const { parts } = await standing();
    const other = lifecycleDeps(parts);
    const store = new Proxy(parts.store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...given: unknown[]) => Promise<unknown>;
        if (name !== 'store') return method;
        return async (...given: unknown[]) => {
          const outcome = await method(...given);
          expect((await sweep(other)).finishedCount).toBe(1);
          return outcome;
        };
      },
    });
    const ended = await terminateSession(lifecycleDeps({ ...parts, store }), request, call);

    expect(ended).toMatchObject({ consolidatedCount: 1, clearedCount: 1, checkpointsClearedCount: 1 });
    expect(await found(parts)).toEqual(ENDED);
  });

  it('while its call is still at work › the job leaves it alone', async () => {
    const { parts } = await standing();
    const deps = lifecycleDeps({ ...parts, store: dying(parts.store, ['write'], () => 'before') });
    await expect(terminateSession(deps, request, call)).rejects.toThrow('died');
    const swept = await sweepSessions(lifecycleDeps(parts), { eventRetentionMs: 1e9, startedAtUs: 0 }, call.signal);

    expect(swept.finishedCount).toBe(0);
    expect((await found(parts)).state).toBe('terminating');
  });

  it('of a session that is deleted after its record was read › SESSION_NOT_FOUND', async () => {
    const { parts } = await standing();
    const sessions = new Proxy(parts.sessions, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          if (name === 'snapshot') await target.eraseSession(key);
          return method(...given);
        };
      },
    });
    await expect(terminateSession(lifecycleDeps({ ...parts, sessions }), request, call)).rejects.toMatchObject({
      reason: 'SESSION_NOT_FOUND',
    });
  });

  it('while its call is still at work › a server that takes over the job, long after its own start, leaves it alone', async () => {
    const { parts } = await standing();
    const clock = { us: 1_700_000_000_000_000 };
    let sweepNow: Work | undefined;
    const leased: Leased = (work) => {
      sweepNow = work;
      return work;
    };
    sessionJob(lifecycleDeps(parts, clock), { intervalMs: 1000, eventRetentionMs: 1e9 }, silent, leased);
    clock.us += 3600 * SECOND_US;
    const deps = lifecycleDeps({ ...parts, store: dying(parts.store, ['write'], () => 'before') }, clock);
    await expect(terminateSession(deps, request, call)).rejects.toThrow('died');

    await sweepNow?.(call.signal);
    expect((await found(parts)).state).toBe('terminating');
    clock.us += 30 * SECOND_US;
    await sweepNow?.(call.signal);
    expect((await found(parts)).state).toBe('terminated');
  });
});
