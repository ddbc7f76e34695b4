import { describe, expect, it } from '@jest/globals';
import type { LifecycleEvent } from '../../../../src/memory/lifecycle.ts';
import type { LifecycleDeps } from '../../../../src/server/operations/sessions/lifecycle/lifecycle-deps.ts';
import { getSession } from '../../../../src/server/operations/sessions/lifecycle/list-sessions.ts';
import { pauseSession } from '../../../../src/server/operations/sessions/lifecycle/pause-session.ts';
import { deleteSession, spawnSession } from '../../../../src/server/operations/sessions/lifecycle/spawn-session.ts';
import { lifecycleDeps, stores } from '../lifecycle-support.ts';
import { call } from '../support.ts';

const key = { namespace: 'n', session: 's' };
const OWNER = { project: '', agentType: '', agent: 'ada', session: '' };
const content = { mediaType: 'application/json', data: Buffer.from('"Oslo"') };
const VALUES = [{ key: 'city', content }];
const PAUSE = { ...key, metadata: {}, description: '', isPinned: false, allowsWrites: false, includesMemories: false };

function standing() {
  const parts = stores();
  return { parts, deps: lifecycleDeps(parts) };
}

const spawn = (deps: LifecycleDeps, more: object = {}) =>
  spawnSession(deps, { ...key, scope: OWNER, values: VALUES, metadata: {}, ...more }, call);

async function eventsOf({ events }: ReturnType<typeof stores>): Promise<LifecycleEvent[]> {
  const all = await events.read({ namespace: 'n', afterSequence: 0, limit: 100 });
  return all.map(({ body }) => JSON.parse(body) as LifecycleEvent);
}

describe('deleting a session', () => {
  const remove = (deps: LifecycleDeps, force: boolean, of = call) =>
    deleteSession(deps, { ...key, metadata: {}, force }, of);

  it('of an active session › is refused and changes nothing, unless it is forced', async () => {
    const { deps } = standing();
    await spawn(deps);
    await expect(remove(deps, false)).rejects.toMatchObject({
      reason: 'SESSION_STATE',
      metadata: { state: 'active', transition: 'delete' },
    });
    expect(await getSession(deps, key)).toMatchObject({ state: 'active', generation: 1 });

    expect(await remove(deps, true)).toMatchObject({ clearedCount: 1, checkpointsClearedCount: 0 });
    await expect(getSession(deps, key)).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    expect((await spawn(deps)).session.generation).toBe(1);
  });

  it('of a paused session › deletes its checkpoints; its events stay, and report it', async () => {
    const { parts, deps } = standing();
    await spawn(deps);
    await pauseSession(deps, PAUSE, call);

    expect(await remove(deps, false)).toMatchObject({ clearedCount: 1, checkpointsClearedCount: 1 });
    const received = await eventsOf(parts);
    expect(received.map(({ transition }) => transition)).toEqual(['spawn', 'pause', 'delete']);
    expect(received.at(-1)).toMatchObject({ phase: 'after', session: { id: 's', state: 'terminated', generation: 3 } });
  });

  it('twice with one request id › returns the first answer again, also where the id is reused', async () => {
    const { parts, deps } = standing();
    await spawn(deps);
    const repeated = { ...call, idempotency: { requestId: 'r', fingerprint: 'f' } };
    const first = await remove(deps, true, repeated);
    await spawn(deps);
    const { durationMs: _, ...again } = await remove(deps, true, repeated);

    expect(again).toMatchObject({ clearedCount: first.clearedCount, revision: first.revision });
    expect(await getSession(deps, key)).toMatchObject({ state: 'active' });
    expect((await eventsOf(parts)).filter(({ transition }) => transition === 'delete')).toHaveLength(1);
  });

  it('refused by a hook, or of a missing session › fails and changes nothing', async () => {
    const { deps } = standing();
    await expect(remove(deps, true)).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    await spawn(deps);
    await deps.hooks.register({ name: 'guard', phases: ['before'], handle: () => ({ veto: 'no' }) });

    await expect(remove(deps, true)).rejects.toMatchObject({ reason: 'HOOK_VETOED' });
    expect(await getSession(deps, key)).toMatchObject({ state: 'active' });
  });
});
