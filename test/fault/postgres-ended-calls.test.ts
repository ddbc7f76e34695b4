import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { GetMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { MnemeError } from '../../src/memory/errors.ts';
import { servingCall } from '../../src/storage/current-call.ts';
import { getOne, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { ask } from '../grpc/support/ask.ts';
import { freshNamespace, store as storeAt } from '../grpc/support/memories.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openSessionsOfTest } from '../support/postgres-sessions.ts';
import { Replica } from './replicas.ts';

/** Longer than any test: a statement that ends earlier has ended with its call. */
const STATEMENT_TIMEOUT_MS = 3_600_000;
const POLL_MS = 5;
const CANCELLED = new MnemeError('CANCELLED', 'the caller cancelled the call');

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
  /** Resolves when this number of statements wait for the lock. */
  waiting(count: number): Promise<void>;
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
    const blocked = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND ${rows[0]?.pid} = any(pg_blocking_pids(pid))`;
    const look = `SELECT count(*)::int AS count FROM (${blocked}) AS each`;
    await work({
      waiting: async (count) => {
        for (;;) {
          // Otherwise the transaction sees the activity at its first look again.
          await client.query('SELECT pg_stat_clear_snapshot()');
          const found = await client.query<{ count: number }>(look);
          if (found.rows[0]?.count === count) return;
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
      const caller = new AbortController();
      const late = servingCall({ signal: caller.signal }, () => getOne(store, 'a'));
      late.catch(() => undefined);
      await locked.waiting(1);
      caller.abort(CANCELLED);
      await expect(late).rejects.toBe(CANCELLED);
      await locked.waiting(0);
      expect((await records.getNamespace(SPACE)).name).toBe(SPACE);
    });
  });

  it('while it waits for a connection › ends at once; the one that has the connection goes on', async () => {
    await withRecords(async ({ store, records }, locked) => {
      const [first, second] = [new AbortController(), new AbortController()];
      const running = servingCall({ signal: first.signal }, () => getOne(store, 'a'));
      running.catch(() => undefined);
      await locked.waiting(1);
      const queued = servingCall({ signal: second.signal }, () => records.getNamespace(SPACE));
      const behind = records.getNamespace(SPACE);
      second.abort(CANCELLED);
      await expect(queued).rejects.toBe(CANCELLED);
      await locked.waiting(1);
      first.abort(CANCELLED);
      await expect(running).rejects.toBe(CANCELLED);
      expect((await behind).name).toBe(SPACE);
    });
  });

  it('before it begins › is not begun', async () => {
    await withRecords(async ({ store }, locked) => {
      const late = servingCall({ signal: AbortSignal.abort(CANCELLED) }, () => getOne(store, 'a'));
      await expect(late).rejects.toBe(CANCELLED);
      await locked.waiting(0);
    });
  });

  it('of a session, in a transaction of several statements › all of them end', async () => {
    const schema = newSchema();
    const options = { url: server.url, schema, connectionsMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const { sessions, records, close } = await openSessionsOfTest(options);
    await withLocked(schema, ['session', 'session_entry'], async (locked) => {
      const caller = new AbortController();
      const read = { namespace: 'space', session: 'a', limit: 10, bytesMax: 1000, withValues: true, nowUs: 1 };
      const late = servingCall({ signal: caller.signal }, () => sessions.list(read));
      late.catch(() => undefined);
      await locked.waiting(1);
      caller.abort(CANCELLED);
      await expect(late).rejects.toBe(CANCELLED);
      await locked.waiting(0);
      expect((await records.getNamespace('space')).name).toBe('space');
    });
    await close();
  });

  it('but has started work that goes on › that work does not end with it', async () => {
    await withRecords(async ({ records }) => {
      const caller = new AbortController();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      let after: Promise<{ name: string }> | undefined;
      await servingCall({ signal: caller.signal }, () => {
        after = ended.then(() => records.getNamespace(SPACE));
      });
      caller.abort(CANCELLED);
      end();
      expect((await after)?.name).toBe(SPACE);
    });
  });
});

describe('a call of a server over PostgreSQL', () => {
  it('whose deadline passes › leaves no statement', async () => {
    const schema = newSchema();
    const replica = await Replica.startWith({
      ...server.envOf(schema),
      MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '600000',
    });
    try {
      const { memories } = replica.clients;
      const parent = freshNamespace();
      await storeAt(replica.clients, parent, { text: 'a cat' }, 'a');
      const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/a` });
      await withLocked(schema, ['memory'], async (locked) => {
        const late = ask(memories, memories.getMemory, request, { deadlineMs: 1000 });
        await expect(late).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
        await locked.waiting(0);
      });
      expect((await ask(memories, memories.getMemory, request)).memory?.text).toBe('a cat');
    } finally {
      await replica.stop();
    }
  }, 120_000);
});
