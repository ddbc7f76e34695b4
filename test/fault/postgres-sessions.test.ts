import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Waker } from '../../src/server/operations/sessions/lifecycle/follow-events.ts';
import type { SessionTransition } from '../../src/storage/session-store.ts';
import {
  act,
  append,
  checkpoint,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  set,
  valuesOf,
  write,
} from '../storage/conformance/session-store/session-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openSessionsOfTest, type SessionsOfTest } from '../support/postgres-sessions.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const move = (to: SessionTransition['to'], more: Partial<SessionTransition> = {}): SessionTransition => ({
  kind: 'transition',
  fromGeneration: 0,
  to,
  isFrozen: to !== 'active',
  metadata: '{}',
  lifecycle: '{}',
  answer: '{}',
  ...more,
});
const never = new AbortController().signal;
const TIMEOUT_MS = 60_000;

let schemas = 0;

describe('two servers on one PostgreSQL', () => {
  let one: SessionsOfTest;
  let two: SessionsOfTest;
  beforeEach(async () => {
    const schema = `two_${++schemas}`;
    one = await openSessionsOfTest({ url: server.url, schema });
    two = await openSessionsOfTest({ url: server.url, schema });
  });
  afterEach(async () => {
    await one.close();
    await two.close();
    expect([one.failures, two.failures]).toEqual([[], []]);
  });

  it('a session that one has written to › is seen by the other at once, whole', async () => {
    await write(one.sessions, [set('a', '1'), append('note'), checkpoint('c1')]);
    expect(await valuesOf(two.sessions)).toEqual({ a: '1' });
    expect(await notesOf(two.sessions)).toEqual(['note']);
    await act(two.sessions, set('a', '2'));
    await act(one.sessions, { kind: 'restore', id: 'c1', mode: 'replace' });
    expect(await valuesOf(two.sessions)).toEqual({ a: '1' });
  });

  it('written to by both at once, new and existing › every write counts, with a revision of its own', async () => {
    const writes = Array.from({ length: 60 }, (_, at) => {
      const { sessions } = at % 2 === 0 ? one : two;
      return write(sessions, [set(`k${at}`, 'v'), append(`${at}`)], { session: `run-${at % 3}` });
    });
    const outcomes = await Promise.all(writes);
    for (let session = 0; session < 3; session++) {
      const revisions = outcomes.filter((_, at) => at % 3 === session).map(({ revision }) => revision);
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
      const key = { ...HERE, session: `run-${session}` };
      expect(Object.keys(await valuesOf(one.sessions, { key }))).toHaveLength(20);
      expect(await notesOf(two.sessions, key)).toHaveLength(20);
    }
  });

  it('created at both at once, to be new › one of them has it', async () => {
    const results = await Promise.allSettled(
      [one, two].map(({ sessions }) => write(sessions, [], { draft: { mustBeNew: true } })),
    );
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(failed).toMatchObject([{ reason: 'SESSION_EXISTS' }]);
  });

  it('the same request at both at once, for a new session › one effect, one outcome', async () => {
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    const outcomes = await Promise.all(
      [one, two].map(({ sessions }) => write(sessions, [append('once')], { idempotency })),
    );
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(await notesOf(one.sessions)).toEqual(['once']);
  });

  it('one request id for two sessions, at both at once › one of them is refused', async () => {
    const results = await Promise.allSettled(
      [one, two].map(({ sessions }, at) =>
        write(sessions, [append('x')], { session: `s${at}`, idempotency: { requestId: 'r', fingerprint: `f${at}` } }),
      ),
    );
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(failed).toMatchObject([{ reason: 'REQUEST_ID_REUSED' }]);
  });

  it('a listener at one › is called after a write at the other, by its notification', async () => {
    await act(one.sessions, set('a', '1'));
    const called = Promise.withResolvers<void>();
    const stop = two.sessions.onChange(HERE, called.resolve);
    await act(one.sessions, set('a', '2'));
    await called.promise;
    stop();
  });

  it('steps at both › both have the events in one order, which is that of the commits, and are woken', async () => {
    const woken = new Waker();
    const stop = two.events.onEvent(() => woken.wake());
    const steps = Array.from({ length: 40 }, (_, at) => {
      const { sessions } = at % 2 === 0 ? one : two;
      return write(sessions, [move('paused', { event: JSON.stringify({ at }) })], { session: `run-${at}` });
    });
    await woken.wait(TIMEOUT_MS, never);
    stop();
    // A reader follows while the steps are taken: it never finds an event before one that it has read.
    const followed: string[] = [];
    for (let after = 0; followed.length < 40; ) {
      const page = await two.events.read({ namespace: 'space', afterSequence: after, limit: 7 });
      followed.push(...page.map(({ body }) => body));
      after = page.at(-1)?.sequence ?? after;
    }
    await Promise.all(steps);
    const all = await one.events.read({ namespace: 'space', afterSequence: 0, limit: 100 });
    expect(all.map(({ body }) => body)).toEqual(followed);
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  });

  it('a session ended at both at once › one episode, one event; the other is refused', async () => {
    await write(one.sessions, [set('a', '1')]);
    const ending = (sessions: SessionsOfTest['sessions'], id: string) =>
      write(
        sessions,
        [
          { kind: 'clear', values: true, task: true, notes: true, checkpoints: true },
          move('terminated', {
            event: JSON.stringify({ id }),
            episode: {
              namespace: 'space',
              onConflict: 'keep',
              memories: [newMemory({ id })],
              createNamespace: false,
              atUs: NOW_US,
            },
          }),
        ],
        { states: ['active'] },
      );
    const results = await Promise.allSettled([ending(one.sessions, 'e1'), ending(two.sessions, 'e2')]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const kept = results[0]?.status === 'fulfilled' ? 'e1' : 'e2';
    const read = { namespace: 'space', ids: ['e1', 'e2'], view: 'full', nowUs: NOW_US } as const;
    const memories = await two.records.get(read);
    expect(memories.flatMap((memory) => memory?.id ?? [])).toEqual([kept]);
    expect(await one.events.read({ namespace: 'space', afterSequence: 0, limit: 10 })).toMatchObject([
      { body: JSON.stringify({ id: kept }) },
    ]);
    expect(await valuesOf(two.sessions)).toEqual({});
  });

  it('an episode beyond the limit of the namespace › the session stays as it was; other writes of the batch succeed', async () => {
    await one.records.write({ kind: 'updateNamespace', name: 'space', memoryLimit: 1, atUs: NOW_US });
    const memories = [newMemory({ id: 'a' }), newMemory({ id: 'b' })];
    await write(one.sessions, [set('a', '1')]);
    const [ended, other] = await Promise.allSettled([
      write(
        one.sessions,
        [
          move('terminated', {
            episode: { namespace: 'space', onConflict: 'keep', createNamespace: false, memories, atUs: NOW_US },
          }),
        ],
        { states: ['active'] },
      ),
      write(one.sessions, [set('b', '2')], { session: 'run-2' }),
    ]);
    expect([ended?.status, other?.status]).toEqual(['rejected', 'fulfilled']);
    expect(await two.sessions.session(HERE)).toMatchObject({ state: 'active', generation: 0 });
    expect(await valuesOf(two.sessions)).toEqual({ a: '1' });
  });

  it('a namespace deleted at one › its sessions and events are gone at both; a missing namespace gets no session', async () => {
    await write(one.sessions, [move('paused', { event: '{}' })]);
    const kept = one.records.write({ kind: 'deleteNamespace', name: 'space', force: false, atUs: NOW_US });
    await expect(kept).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_EMPTY' });
    await one.records.write({ kind: 'deleteNamespace', name: 'space', force: true, atUs: NOW_US });
    expect(await two.sessions.session(HERE)).toBeUndefined();
    expect(await two.events.ends('space')).toEqual({ newest: 0, forgotten: 0 });
    await expect(act(two.sessions, set('a', '1'))).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    const unmade = two.sessions.write({ ...HERE, ops: [], limits: LIMITS, atUs: NOW_US });
    await expect(unmade).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
  });

  it('values that PostgreSQL refuses in one write of many › only that write fails', async () => {
    const keys = ['a', 'no\0null', 'b'];
    const results = await Promise.allSettled(
      keys.map((key, at) => act(one.sessions, set(key, 'v'), { session: `run-${at}` })),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
