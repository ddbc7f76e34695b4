import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { WatchLifecycleEventsRequest } from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { GetMemoryRequest, StoreMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { WatchSessionRequest } from '../../gen/ts/mneme/v1/working_memory_service.ts';
import { servingCall } from '../../src/storage/current-call.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace, store as storeAt } from '../server/grpc/support/memories.ts';
import { getOne, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { CANCELLED, EndingCall } from '../support/ending-call.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openSessionsOfTest } from '../support/postgres-sessions.ts';
import { Replica } from './replicas.ts';

/** Longer than any test: a statement that ends earlier has ended with its call. */
const STATEMENT_TIMEOUT_MS = 3_600_000;
const POLL_MS = 5;
const QUIET = {
  MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '600000',
  // A tier is moved before the writes of its namespace, or behind them.
  MNEME_MAINTENANCE_INTERVAL_MS: '86400000',
};
/** Statements of calls; jobs of a server (sweeps, expiry, upkeep) read the same tables by times. */
const OF_MEMORIES = /"m"\."id" = any/;
const OF_STREAMS =
  /^(SELECT record FROM session WHERE namespace = \$1 AND id|select "sequence", "body" from "lifecycle_event")/;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await server.stop();
  server.remove();
});

let schemas = 0;
const newSchema = (): string => `ended_${++schemas}`;

/** One connection: a statement that goes on holds up every other one. */
async function withRecords(work: (opened: RecordsOfTest, locked: Locked) => Promise<void>): Promise<void> {
  const schema = newSchema();
  const options = { url: server.url, schema, connectionsMax: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const opened = await openRecords(options);
  try {
    await put(opened.store, [newMemory({ id: 'a' })]);
    await withLocked(schema, ['memory'], (locked) => work(opened, locked));
    expect((await getOne(opened.store, 'a'))?.id).toBe('a');
  } finally {
    await opened.close();
  }
}

interface Locked {
  /** Resolves when this number of statements wait for the lock; where a server runs, those that match, without its jobs' ones. */
  waiting(count: number, statements?: RegExp): Promise<void>;
}

/** Runs work while another session has locked tables, and looks at the statements that wait for it. */
async function withLocked(
  schema: string,
  tables: readonly string[],
  work: (locked: Locked) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const blocked = `SELECT query FROM pg_stat_activity WHERE state = 'active' AND ${rows[0]?.pid} = any(pg_blocking_pids(pid))`;
    await work({
      waiting: async (count, statements = /./) => {
        for (;;) {
          // Otherwise the transaction sees the activity at its first look again.
          await client.query('SELECT pg_stat_clear_snapshot()');
          const found = await client.query<{ query: string }>(blocked);
          if (found.rows.filter(({ query }) => statements.test(query)).length === count) return;
          await sleep(POLL_MS);
        }
      },
    });
  } finally {
    await client.end();
  }
}

describe('a read whose call ends', () => {
  it('while its statement runs › PostgreSQL ends the statement, and the connection serves the next call', async () => {
    await withRecords(async ({ store, records }, locked) => {
      const caller = new EndingCall();
      const late = servingCall(caller, () => getOne(store, 'a'));
      late.catch(() => undefined);
      await locked.waiting(1);
      caller.end();
      await expect(late).rejects.toBe(CANCELLED);
      await locked.waiting(0);
      expect((await records.getNamespace(SPACE)).name).toBe(SPACE);
    });
  });

  it('while it waits for a connection › ends at once; the one that has the connection goes on', async () => {
    await withRecords(async ({ store, records }, locked) => {
      const [first, second] = [new EndingCall(), new EndingCall()];
      const running = servingCall(first, () => getOne(store, 'a'));
      running.catch(() => undefined);
      await locked.waiting(1);
      const queued = servingCall(second, () => records.getNamespace(SPACE));
      const behind = records.getNamespace(SPACE);
      second.end();
      await expect(queued).rejects.toBe(CANCELLED);
      await locked.waiting(1);
      first.end();
      await expect(running).rejects.toBe(CANCELLED);
      expect((await behind).name).toBe(SPACE);
    });
  });

  it('before it begins › is not begun', async () => {
    await withRecords(async ({ store }, locked) => {
      const late = servingCall(EndingCall.ended(), () => getOne(store, 'a'));
      await expect(late).rejects.toBe(CANCELLED);
      await locked.waiting(0);
    });
  });

  it('of a session, in a transaction of several statements › all of them end', async () => {
    const schema = newSchema();
    const options = { url: server.url, schema, connectionsMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const { sessions, records, close } = await openSessionsOfTest(options);
    await withLocked(schema, ['session', 'session_entry'], async (locked) => {
      const caller = new EndingCall();
      const read = { namespace: 'space', session: 'a', limit: 10, bytesMax: 1000, withValues: true, nowUs: 1 };
      const late = servingCall(caller, () => sessions.list(read));
      late.catch(() => undefined);
      await locked.waiting(1);
      caller.end();
      await expect(late).rejects.toBe(CANCELLED);
      await locked.waiting(0);
      expect((await records.getNamespace('space')).name).toBe('space');
    });
    await close();
  });

  it('but has started work that goes on › that work does not end with it', async () => {
    await withRecords(async ({ records }) => {
      const caller = new EndingCall();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      let after: Promise<{ name: string }> | undefined;
      await servingCall(caller, () => {
        after = ended.then(() => records.getNamespace(SPACE));
      });
      caller.end();
      end();
      expect((await after)?.name).toBe(SPACE);
    });
  });
});

/** Writes of a namespace that wait at most, here. */
const QUEUE_MAX = 20;

describe('writes that wait for PostgreSQL', () => {
  it('whose calls end › are not carried out, and their places are free; the one that was sent takes effect', async () => {
    const schema = newSchema();
    const options = {
      url: server.url,
      schema,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      queue: { queueMax: QUEUE_MAX },
    };
    const { store, records, close } = await openRecords(options);
    await put(store, [newMemory({ id: 'first' })]);
    const call = new EndingCall();
    const late = (id: string) => servingCall(call, () => put(store, [newMemory({ id })]));
    let live: Promise<unknown>[] = [];
    let sent: Promise<unknown> | undefined;
    await withLocked(schema, ['memory'], async (locked) => {
      sent = servingCall(call, () => put(store, [newMemory({ id: 'sent' })]));
      await locked.waiting(1);
      const waiting = Array.from({ length: QUEUE_MAX }, (_, number) => late(`late${number}`));
      expect(records.queuedCount).toBe(QUEUE_MAX);
      await expect(put(store, [newMemory({ id: 'more' })])).rejects.toMatchObject({ reason: 'QUEUE_FULL' });
      call.end();
      expect(records.queuedCount).toBe(0);
      for (const write of waiting) await expect(write).rejects.toBe(CANCELLED);
      live = Array.from({ length: QUEUE_MAX }, (_, number) => put(store, [newMemory({ id: `live${number}` })]));
    });
    await Promise.all([sent, ...live]);
    const ids: string[] = [];
    for await (const id of records.allIds(SPACE)) ids.push(id);
    expect(ids).toEqual(['first', 'sent', ...Array.from({ length: QUEUE_MAX }, (_, number) => `live${number}`)]);
    await close();
  });

  it('all of which are withdrawn while others have the connections › the next write is carried out', async () => {
    const schema = newSchema();
    const options = { url: server.url, schema, connectionsMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const { store, close } = await openRecords(options);
    await put(store, [newMemory({ id: 'first' })]);
    await put(store, [newMemory({ id: 'first' })], { namespace: 'other' });
    const call = new EndingCall();
    let sent: Promise<unknown> | undefined;
    await withLocked(schema, ['memory'], async (locked) => {
      // Half of the connections are for writes.
      sent = put(store, [newMemory({ id: 'sent' })]);
      await locked.waiting(1);
      const late = servingCall(call, () => put(store, [newMemory({ id: 'late' })], { namespace: 'other' }));
      late.catch(() => undefined);
      // The lane of the other namespace waits for its turn.
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      call.end();
      await expect(late).rejects.toBe(CANCELLED);
    });
    await sent;
    await put(store, [newMemory({ id: 'late' })], { namespace: 'other' });
    await close();
  });
});

describe('a call of a server over PostgreSQL', () => {
  it('whose deadline passes › leaves no statement', async () => {
    const schema = newSchema();
    const replica = await Replica.startWith({
      ...server.envOf(schema),
      ...QUIET,
    });
    try {
      const { memories } = replica.clients;
      const parent = freshNamespace();
      await storeAt(replica.clients, parent, { text: 'a cat' }, 'a');
      const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/a` });
      await withLocked(schema, ['memory'], async (locked) => {
        const late = ask(memories, memories.getMemory, request, { deadlineMs: 1000 });
        await expect(late).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
        await locked.waiting(0, OF_MEMORIES);
      });
      expect((await ask(memories, memories.getMemory, request)).memory?.text).toBe('a cat');
    } finally {
      await replica.stop();
    }
  }, 120_000);

  it('whose write waits when its deadline passes › not carried out; its repetition stores once', async () => {
    const schema = newSchema();
    const replica = await Replica.startWith({
      ...server.envOf(schema),
      ...QUIET,
    });
    try {
      const { memories } = replica.clients;
      const parent = freshNamespace();
      await storeAt(replica.clients, parent, { text: 'first' }, 'first');
      const store = (id: string, deadlineMs?: number) => {
        const memory = { text: id };
        const request = StoreMemoryRequest.fromPartial({ parent, memory, memoryId: id, requestId: `of ${id}` });
        return ask(memories, memories.storeMemory, request, deadlineMs === undefined ? {} : { deadlineMs });
      };
      let sent: Promise<unknown> | undefined;
      await withLocked(schema, ['memory'], async (locked) => {
        sent = store('sent');
        await locked.waiting(1, OF_MEMORIES);
        await expect(store('late', 500)).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
      });
      await sent;
      const get = GetMemoryRequest.fromPartial({ name: `${parent}/memories/late` });
      // Behind it in the queue, had it stayed.
      await store('after');
      await expect(ask(memories, memories.getMemory, get)).rejects.toMatchObject({ code: status.NOT_FOUND });
      await store('late');
      await store('late');
      expect((await ask(memories, memories.getMemory, get)).memory?.text).toBe('late');
    } finally {
      await replica.stop();
    }
  }, 120_000);

  it('a stream that its reader leaves › its statement ends, and no other begins', async () => {
    const schema = newSchema();
    const replica = await Replica.startWith({
      ...server.envOf(schema),
      ...QUIET,
    });
    try {
      const { working, lifecycle } = replica.clients;
      const parent = freshNamespace();
      await storeAt(replica.clients, parent, { text: 'first' }, 'first');
      const session = `${parent}/sessions/run`;
      await withLocked(schema, ['session', 'session_change', 'lifecycle_event'], async (locked) => {
        const streams = [
          working.watchSession(WatchSessionRequest.fromPartial({ session })),
          lifecycle.watchLifecycleEvents(WatchLifecycleEventsRequest.fromPartial({ parent })),
        ];
        const ends = streams.map((stream) => once(stream, 'error'));
        await locked.waiting(2, OF_STREAMS);
        for (const stream of streams) stream.cancel();
        for (const [failure] of await Promise.all(ends)) expect(failure).toMatchObject({ code: status.CANCELLED });
        await locked.waiting(0, OF_STREAMS);
      });
    } finally {
      await replica.stop();
    }
  }, 120_000);
});
