import { describe, expect, it } from '@jest/globals';
import type { LifecycleEvent } from '../../../../src/memory/lifecycle.ts';
import type { LifecycleDeps } from '../../../../src/server/operations/sessions/lifecycle/lifecycle-deps.ts';
import { getSession } from '../../../../src/server/operations/sessions/lifecycle/list-sessions.ts';
import { pauseSession, resumeSession } from '../../../../src/server/operations/sessions/lifecycle/pause-session.ts';
import { spawnSession } from '../../../../src/server/operations/sessions/lifecycle/spawn-session.ts';
import { sweepSessions } from '../../../../src/server/operations/sessions/lifecycle/sweep-sessions.ts';
import { writeSession } from '../../../../src/server/operations/sessions/working-memory/write-session.ts';
import { lifecycleDeps, SECOND_US, stores } from '../lifecycle-support.ts';
import { call } from '../support.ts';

const key = { namespace: 'n', session: 's' };
const OWNER = { project: '', agentType: '', agent: 'ada', session: '' };
const content = { mediaType: 'application/json', data: Buffer.from('"Oslo"') };
const VALUES = [{ key: 'city', content }];
const PAUSE = { ...key, metadata: {}, description: '', isPinned: false, allowsWrites: false, includesMemories: false };
const IDLE_US = 100 * SECOND_US;

function standing() {
  const parts = stores();
  return { parts, deps: lifecycleDeps(parts) };
}

const spawn = (deps: LifecycleDeps, more: object = {}) =>
  spawnSession(deps, { ...key, scope: OWNER, values: VALUES, metadata: {}, ...more }, call);
const sweep = (deps: LifecycleDeps) => sweepSessions(deps, { eventRetentionMs: 1e9, startedAtUs: 0 }, call.signal);
const set = (deps: LifecycleDeps) =>
  writeSession(deps, key, [{ kind: 'set', key: 'city', content, expiry: { kind: 'default' } }], call);

async function eventsOf({ events }: ReturnType<typeof stores>): Promise<LifecycleEvent[]> {
  const all = await events.read({ namespace: 'n', afterSequence: 0, limit: 100 });
  return all.map(({ body }) => JSON.parse(body) as LifecycleEvent);
}

const episodesOf = async ({ view }: ReturnType<typeof stores>) => {
  const order = 'create_time_asc' as const;
  const page = await view.list({ namespace: 'n', order, limit: 10, bytesMax: 1e6, view: 'basic', nowUs: 1 });
  return page.memories.map(({ text }) => text);
};

describe('a paused session', () => {
  it('whose checkpoint would have expired › is resumed all the same; the time of the checkpoint begins then', async () => {
    const { deps } = standing();
    await spawn(deps);
    const { checkpoint } = await pauseSession(deps, { ...PAUSE, checkpointTtlUs: SECOND_US }, call);
    expect(checkpoint.expiresAtUs).toBeUndefined();
    deps.clock.us += 1_000_000 * SECOND_US;
    await sweep(deps);

    const request = { ...key, metadata: {}, mode: 'replace', restoresMemories: false } as const;
    const resumed = await resumeSession(deps, request, call);
    expect(resumed).toMatchObject({ restoredCount: 1, session: { state: 'active' } });
    expect(resumed.checkpoint.expiresAtUs).toBe(deps.clock.us + SECOND_US);
    deps.clock.us += SECOND_US;
    await sweep(deps);
    expect(await deps.sessions.checkpoints({ ...key, limit: 10, nowUs: deps.clock.us })).toEqual([]);
  });
});

describe('a session with a time to be idle', () => {
  it('without writes › ends with the outcome expired, an episode and an event', async () => {
    const { parts, deps } = standing();
    await spawn(deps, { idleTtlUs: IDLE_US });
    deps.clock.us += IDLE_US - 1;
    expect((await sweep(deps)).expiredCount).toBe(0);
    deps.clock.us += 1;

    expect(await sweep(deps)).toMatchObject({ expiredCount: 1, failures: [], isDone: true });
    const ended = await getSession(deps, key);
    expect(ended).toMatchObject({ state: 'terminated', life: { outcome: 'expired' } });
    expect(await deps.sessions.snapshot({ ...key, nowUs: 1 })).toMatchObject({ entries: [] });
    expect(await episodesOf(parts)).toEqual(['A session of ada was left idle until it expired.']);
    expect((await eventsOf(parts)).map(({ transition, phase }) => [transition, phase])).toEqual([
      ['spawn', 'after'],
      ['terminate', 'after'],
    ]);
    expect((await sweep(deps)).expiredCount).toBe(0);
  });

  it('with a write › starts its idle time again; a paused one does not end', async () => {
    const { deps } = standing();
    await spawn(deps, { idleTtlUs: IDLE_US });
    deps.clock.us += IDLE_US - 1;
    await set(deps);
    deps.clock.us += IDLE_US - 1;
    expect((await sweep(deps)).expiredCount).toBe(0);
    expect((await getSession(deps, key)).idleAtUs).toBe(deps.clock.us + 1);
    await pauseSession(deps, PAUSE, call);
    deps.clock.us += 1000 * IDLE_US;

    expect((await sweep(deps)).expiredCount).toBe(0);
    expect(await getSession(deps, key)).toMatchObject({ state: 'paused' });
    expect((await getSession(deps, key)).idleAtUs).toBeUndefined();
  });

  it('an empty one › ends without an episode', async () => {
    const { parts, deps } = standing();
    await spawn(deps, { idleTtlUs: IDLE_US, values: [] });
    deps.clock.us += IDLE_US;

    expect((await sweep(deps)).expiredCount).toBe(1);
    expect(await episodesOf(parts)).toEqual([]);
  });

  it('with a write just before its end › continues', async () => {
    const { parts, deps } = standing();
    await spawn(deps, { idleTtlUs: IDLE_US });
    deps.clock.us += IDLE_US;
    // Another server writes after this one has found the session to be idle.
    const idle = parts.sessions.idle.bind(parts.sessions);
    const sessions = Object.assign(Object.create(parts.sessions), {
      idle: async (read: Parameters<typeof idle>[0]) => {
        const found = await idle(read);
        await set(deps);
        return found;
      },
    }) as typeof parts.sessions;

    expect(await sweep({ ...deps, sessions })).toMatchObject({ expiredCount: 0, failures: [] });
    expect(await getSession(deps, key)).toMatchObject({ state: 'active' });
  });

  it('whose end a hook refuses › continues for another idle time', async () => {
    const { parts, deps } = standing();
    await spawn(deps, { idleTtlUs: IDLE_US });
    const leave = await deps.hooks.register({
      name: 'guard',
      phases: ['before'],
      handle: () => ({ veto: 'still needed' }),
    });
    deps.clock.us += IDLE_US;

    expect(await sweep(deps)).toMatchObject({ expiredCount: 0, failures: [], isDone: true });
    deps.clock.us += IDLE_US - 1;
    await sweep(deps);
    const refused = (await eventsOf(parts)).filter(({ phase }) => phase === 'refused');
    expect(refused).toHaveLength(1);
    leave();
    deps.clock.us += 1;
    expect((await sweep(deps)).expiredCount).toBe(1);
  });

  it('with a server default › applies to requests without one, and to sessions that a first write creates', async () => {
    const { parts, deps } = standing();
    const set100 = { ...deps, idleTtlUs: IDLE_US };
    await set(set100);
    await spawn(set100, { session: 'asks', idleTtlUs: 0 });
    deps.clock.us += IDLE_US;

    expect((await sweep(set100)).expiredCount).toBe(1);
    expect(await getSession(deps, key)).toMatchObject({ life: { outcome: 'expired' } });
    expect(await episodesOf(parts)).toHaveLength(1);
    expect(await getSession(deps, { ...key, session: 'asks' })).toMatchObject({ state: 'active' });
  });
});

describe('reports of transitions', () => {
  it('duration › includes the hooks before it, the same in the answer, the event and to hooks', async () => {
    const { parts, deps } = standing();
    const slow = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 30));
    await deps.hooks.register({ name: 'before', phases: ['before'], handle: slow });
    const heard: LifecycleEvent[] = [];
    await deps.hooks.register({
      name: 'after',
      phases: ['after'],
      handle: (event) => slow().then(() => void heard.push(event)),
    });
    const { durationMs } = await spawn(deps);
    const [event] = await eventsOf(parts);

    expect(event?.durationMs).toBeGreaterThanOrEqual(25);
    expect(durationMs).toBe(event?.durationMs);
    expect(heard).toEqual([event]);
  });
});
