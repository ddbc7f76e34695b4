import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DeleteSessionRequest,
  GetSessionRequest,
  type LifecycleEvent,
  LifecyclePhase,
  LifecycleTransition,
  type SpawnSessionRequest,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { SessionOutcome, SessionState } from '../../../../gen/ts/mneme/v1/session.ts';
import {
  ForkCheckpointRequest,
  GetValueRequest,
  GetWorkingMemoryStatisticsRequest,
  SetValueRequest,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { until } from '../../../support/redis-cluster.ts';
import { WorkingMemoryServiceClient } from '../../../support/service-clients.ts';
import { ask, refusal } from '../support/ask.ts';
import { follow, offerHook } from '../support/lifecycle-streams.ts';
import { freshNamespace, json } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { initial, type SessionCalls, sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });
const HOUR_S = 3600;

async function eventsOf(events: ReturnType<typeof follow>, count: number): Promise<LifecycleEvent[]> {
  const received: LifecycleEvent[] = [];
  while (received.length < count) received.push((await events.next()).event);
  return received;
}

describe.each(SESSION_BACKENDS)('with sessions in %s', (backend) => {
  let mneme: TestServer;
  let calls: SessionCalls;
  let working: WorkingMemoryServiceClient;
  let offsetUs = 0;
  beforeAll(async () => {
    // Time is moved on by tests; the job looks all the time.
    const clock = { nowUs: () => Date.now() * 1000 + offsetUs };
    mneme = await startSessionServer(backend, { expiryIntervalMs: '100' }, { clock });
    calls = sessionCalls(mneme);
    working = new WorkingMemoryServiceClient(mneme.address, credentials.createInsecure());
  });
  afterAll(async () => {
    working.close();
    await mneme.stop();
  });

  const spawn = (more: Parameters<typeof SpawnSessionRequest.fromPartial>[0] = {}, parent = freshNamespace()) =>
    calls.spawn({ parent, sessionId: 's', initialValues: initial({ city: 'Oslo' }), ...more });
  const nameOf = async (...provided: Parameters<typeof spawn>) => (await spawn(...provided)).session?.name ?? '';
  const get = async (session: string) =>
    (await ask(mneme.lifecycle, mneme.lifecycle.getSession, GetSessionRequest.fromPartial({ session }))).session;
  const remove = (request: Parameters<typeof DeleteSessionRequest.fromPartial>[0]) =>
    ask(mneme.lifecycle, mneme.lifecycle.deleteSession, DeleteSessionRequest.fromPartial(request));
  const set = (request: Parameters<typeof SetValueRequest.fromPartial>[0]) =>
    ask(working, working.setValue, SetValueRequest.fromPartial({ value: json(1), ...request }));
  const livesFor = async (session: string, key: string) => {
    const { entry } = await ask(working, working.getValue, GetValueRequest.fromPartial({ session, key }));
    if (!entry?.expireTime || !entry.updateTime) return entry ? 'for good' : 'not there';
    return Number(entry.expireTime.seconds - entry.updateTime.seconds);
  };

  describe('the default time to live of a session', () => {
    it('set by Spawn › applies to values without one, is reported, and an explicit one overrides it', async () => {
      const session = await nameOf({
        defaultExpiry: { $case: 'defaultTtl', value: seconds(HOUR_S) },
        initialValues: [
          { key: 'first', value: json(1) },
          { key: 'short', value: json(1), ttl: seconds(60) },
          { key: 'kept', value: json(1), noExpiry: true },
        ],
      });
      await set({ session, key: 'later' });
      await set({ session, key: 'never', expiry: { kind: { $case: 'never', value: true } } });
      const keys = ['first', 'short', 'kept', 'later', 'never'];
      const lives = await Promise.all(keys.map((key) => livesFor(session, key)));

      expect(lives).toEqual([HOUR_S, 60, 'for good', HOUR_S, 'for good']);
      expect((await get(session))?.defaultTtl).toEqual(seconds(HOUR_S));
    });

    it('set by SetValue › applies from then on, to this value too, also for a session that it creates', async () => {
      const session = `${freshNamespace()}/sessions/s`;
      const sessionDefault = { $case: 'sessionDefaultTtl', value: seconds(HOUR_S) } as const;
      await set({ session, key: 'a', sessionDefault });
      await set({ session, key: 'b' });
      expect([await livesFor(session, 'a'), await livesFor(session, 'b')]).toEqual([HOUR_S, HOUR_S]);

      await set({ session, key: 'c', sessionDefault: { $case: 'noSessionDefaultTtl', value: true } });
      await set({ session, key: 'd' });
      expect([await livesFor(session, 'c'), await livesFor(session, 'd')]).toEqual(['for good', 'for good']);
      expect((await get(session))?.defaultTtl).toBeUndefined();
    });

    it('a pause and a fork keep it', async () => {
      const session = await nameOf({ defaultExpiry: { $case: 'defaultTtl', value: seconds(HOUR_S) } });
      await calls.pause({ session, checkpointId: 'c' });
      await calls.resume({ session });
      const targetSession = `${session}-fork`;
      const request = ForkCheckpointRequest.fromPartial({ session, checkpointId: 'c', targetSession });
      await ask(working, working.forkCheckpoint, request);
      for (const each of [session, targetSession]) {
        await set({ session: each, key: 'later' });
        expect(await livesFor(each, 'later')).toBe(HOUR_S);
      }
    });

    it.each([
      ['default_ttl', { defaultExpiry: { $case: 'defaultTtl' as const, value: seconds(0) } }],
      ['default_ttl', { defaultExpiry: { $case: 'defaultTtl' as const, value: seconds(-1) } }],
      ['no_default_ttl', { defaultExpiry: { $case: 'noDefaultTtl' as const, value: false } }],
      ['idle_ttl', { idleExpiry: { $case: 'idleTtl' as const, value: seconds(36_501 * 86_400) } }],
      ['no_idle_ttl', { idleExpiry: { $case: 'noIdleTtl' as const, value: false } }],
      ['initial_values[0].ttl', { initialValues: [{ key: 'a', value: json(1), ttl: seconds(1), noExpiry: true }] }],
    ])('Spawn with a wrong %s › is refused and names it', async (field, wrong) => {
      expect(await refusal(spawn(wrong))).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [field] });
    });

    it('SetValue with a wrong one › is refused and names it', async () => {
      const session = `${freshNamespace()}/sessions/s`;
      const zero = set({ session, key: 'a', sessionDefault: { $case: 'sessionDefaultTtl', value: seconds(0) } });
      expect((await refusal(zero)).fields).toEqual(['session_default_ttl']);
      const no = set({ session, key: 'a', sessionDefault: { $case: 'noSessionDefaultTtl', value: false } });
      expect((await refusal(no)).fields).toEqual(['no_session_default_ttl']);
    });
  });

  it('statistics of working memory › report the owner of the session, and that no fallback serves it', async () => {
    const session = await nameOf({ scope: { project: 'trips', agentType: 'planner', agent: 'ada' } });
    const request = GetWorkingMemoryStatisticsRequest.fromPartial({ session });
    const { scope, usingFallback } = await ask(working, working.getWorkingMemoryStatistics, request);

    expect(scope).toMatchObject({ project: 'trips', agentType: 'planner', agent: 'ada', session: 's' });
    expect([`namespaces/${scope?.namespace}/sessions/s`, usingFallback]).toEqual([session, false]);
  });

  it('transitions report their duration, in answers and events', async () => {
    const parent = freshNamespace();
    const spawned = await spawn({}, parent);
    const session = spawned.session?.name ?? '';
    const events = follow(mneme, { parent, start: { $case: 'fromOldest', value: true } });
    const [paused, resumed] = [await calls.pause({ session }), await calls.resume({ session })];
    const answers = [spawned, paused, resumed, await calls.terminate({ session })];
    const received = await eventsOf(events, 4);
    events.messages.stop();

    for (const { duration } of [...answers, ...received]) {
      expect(Number(duration?.seconds ?? -1) * 1e9 + (duration?.nanos ?? 0)).toBeGreaterThan(0);
    }
  });

  it('hooks of a higher priority › are asked first; one beyond the limit is refused', async () => {
    const parent = freshNamespace();
    const order: string[] = [];
    const phases = [LifecyclePhase.LIFECYCLE_PHASE_BEFORE];
    const offered = [];
    for (const [hook, priority] of [
      ['low', -5],
      ['plain', 0],
      ['high', 1000],
    ] as const) {
      const reply = () => {
        order.push(hook);
        return { $case: 'proceed', value: { metadata: {} } } as const;
      };
      offered.push(await offerHook(mneme, { parent, hook, phases, priority }, reply));
    }
    const { hookReports } = await spawn({}, parent);
    for (const hook of offered) hook.stop();
    expect(order).toEqual(['high', 'plain', 'low']);
    expect(hookReports.map(({ hook }) => hook)).toEqual(order);

    const wrong = offerHook(mneme, { parent, hook: 'x', phases, priority: 1001 }, () => undefined);
    expect((await refusal(wrong)).fields).toEqual(['registration.priority']);
  });

  describe('DeleteSession', () => {
    it('of an active session › is refused without force; with it all is deleted, and the event reports it', async () => {
      const parent = freshNamespace();
      const session = await nameOf({}, parent);
      const events = follow(mneme, { parent, start: { $case: 'fromOldest', value: true } });
      expect(await refusal(remove({ session }))).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'SESSION_STATE',
        metadata: { state: 'active', transition: 'delete' },
      });
      const deleted = await remove({ session, force: true, metadata: { why: 'asked for' } });
      const received = await eventsOf(events, 2);
      events.messages.stop();

      expect(deleted).toMatchObject({ clearedCount: 1, clearedNoteCount: 0, clearedCheckpointCount: 0 });
      expect((await refusal(get(session))).reason).toBe('SESSION_NOT_FOUND');
      expect(await livesFor(session, 'city')).toBe('not there');
      expect(received.at(-1)).toMatchObject({
        transition: LifecycleTransition.LIFECYCLE_TRANSITION_DELETE,
        metadata: { why: 'asked for' },
        session: { name: session, state: SessionState.SESSION_STATE_TERMINATED },
      });
      expect((await spawn({}, parent)).session?.version).toBe(1n);
    });

    it('repeated with its request id › takes effect once and returns the first answer', async () => {
      const parent = freshNamespace();
      const session = await nameOf({}, parent);
      await calls.pause({ session });
      const request = { session, requestId: 'delete-1' };
      const first = await remove(request);
      await spawn({}, parent);
      const again = await remove(request);

      expect(first).toMatchObject({ clearedCount: 1, clearedCheckpointCount: 1 });
      expect({ ...again, duration: undefined }).toEqual({ ...first, duration: undefined });
      expect(await get(session)).toMatchObject({ state: SessionState.SESSION_STATE_ACTIVE });
      expect(await refusal(remove({ session, requestId: 'delete-1', force: true }))).toMatchObject({
        reason: 'REQUEST_ID_REUSED',
      });
    });

    it('of a terminated session › its episode stays; of another generation, or none › is refused', async () => {
      const session = await nameOf();
      expect((await refusal(remove({ session, force: true, ifVersion: 7n }))).reason).toBe('VERSION_MISMATCH');
      const { episode } = await calls.terminate({ session });
      await remove({ session });
      const memory = await ask(
        mneme.memories,
        mneme.memories.getMemory,
        GetMemoryRequest.fromPartial({ name: episode }),
      );
      expect(memory.memory?.type).toBe('episode');
      expect((await refusal(remove({ session }))).reason).toBe('SESSION_NOT_FOUND');
      expect((await refusal(remove({ session: 'x' }))).fields).toEqual(['session']);
    });
  });

  it('a session that is idle for its time › is terminated as expired', async () => {
    const session = await nameOf({ idleExpiry: { $case: 'idleTtl', value: seconds(600) } });
    const other = await nameOf({ idleExpiry: { $case: 'noIdleTtl', value: true } });
    const before = await get(session);
    expect(before).toMatchObject({ idleTtl: seconds(600), state: SessionState.SESSION_STATE_ACTIVE });
    expect(Number((before?.idleExpireTime?.seconds ?? 0n) - (before?.updateTime?.seconds ?? 0n))).toBe(600);
    offsetUs += 601_000_000;
    // With Redis a session is terminated first, and has its outcome and episode when both are durable.
    const expired = SessionOutcome.SESSION_OUTCOME_EXPIRED;
    await until('it has expired', async () => (await get(session))?.outcome === expired);

    expect(await get(session)).toMatchObject({ state: SessionState.SESSION_STATE_TERMINATED });
    expect((await get(session))?.episode).not.toBe('');
    expect(await get(other)).toMatchObject({ state: SessionState.SESSION_STATE_ACTIVE, idleTtl: undefined });
    const provided = { session: other, outcome: expired };
    expect((await refusal(calls.terminate(provided))).fields).toEqual(['outcome']);
  });
});
