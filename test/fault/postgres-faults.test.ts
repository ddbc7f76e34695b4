import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sql } from '#kysely';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { openPostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { getOne, NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { brokenRules } from './postgres-rules.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off', max_connections: '20' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const unavailable = (fault: string) => ({ reason: 'STORAGE_UNAVAILABLE', metadata: { backend: 'postgres', fault } });

let schemas = 0;
const newSchema = (): string => `faults_${++schemas}`;

/** Records with what is in them is checked at the end. */
async function withRecords(
  work: (opened: RecordsOfTest, schema: string) => Promise<void>,
  options: Partial<Parameters<typeof openRecords>[0]> = {},
): Promise<void> {
  const schema = newSchema();
  const opened = await openRecords({ url: server.url, schema, ...options });
  try {
    await work(opened, schema);
  } finally {
    await opened.close();
  }
  expect(await brokenRules(server.url, schema)).toEqual([]);
}

/** Runs work while another session has run these statements, which it ends then. */
async function beside(schema: string, statements: readonly string[], work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
    await work();
  } finally {
    await client.end();
  }
}

describe('PostgreSQL that refuses', () => {
  it.each([
    ['the disk is full', 'disk_full', { reason: 'STORAGE_FULL', metadata: { backend: 'postgres' } }],
    ['read only', 'read_only_sql_transaction', unavailable('read_only')],
    ['out of connections or memory', 'out_of_memory', unavailable('busy')],
    ['being shut down', 'admin_shutdown', unavailable('disconnected')],
  ])('a write, because it is %s › the error for it, nothing is stored, reads continue', async (_, condition, error) => {
    await withRecords(async ({ store }, schema) => {
      await put(store, [newMemory({ id: 'a' })]);
      const refuse = [
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${condition}' USING ERRCODE = '${condition}'; END $$`,
        'CREATE TRIGGER refuse BEFORE INSERT ON change_log EXECUTE FUNCTION refuse()',
      ];
      await beside(schema, refuse, async () => undefined);
      await expect(put(store, [newMemory({ id: 'b' })])).rejects.toMatchObject(error);
      expect([(await getOne(store, 'a'))?.id, await getOne(store, 'b')]).toEqual(['a', undefined]);
      await beside(schema, ['DROP TRIGGER refuse ON change_log'], async () => undefined);
      await put(store, [newMemory({ id: 'b' })]);
    });
  });

  it('all writes, by its default › named so, at the start as well', async () => {
    const url = `${server.url}&options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
    await expect(openRecords({ url, schema: newSchema() })).rejects.toMatchObject(unavailable('read_only'));
  });

  it('the values of one write among many › only that write fails', async () => {
    await withRecords(async ({ store }) => {
      await put(store, [newMemory({ id: 'first' })]);
      const writes = ['a', 'no\0null', 'b', 'c'].map((id) => put(store, [newMemory({ id })]));
      const results = await Promise.allSettled(writes);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(await store.count({ namespace: SPACE, nowUs: NOW_US })).toEqual(new Map([['short_term', 4]]));
    });
  });

  it('the role of the connection › named as credentials', async () => {
    const url = server.url.replace(`//${server.user}@`, '//nobody_here@');
    await expect(openPostgresRecords({ url })).rejects.toMatchObject(unavailable('credentials'));
  });

  it('more connections than it has › busy, and served when some are free', async () => {
    const schema = newSchema();
    const clients = Array.from({ length: 20 }, () => new Client(server.url));
    await Promise.all(clients.map((client) => client.connect()));
    await expect(openRecords({ url: server.url, schema })).rejects.toMatchObject(unavailable('busy'));
    await Promise.all(clients.map((client) => client.end()));
    const { close } = await openRecords({ url: server.url, schema });
    await close();
  });
});

describe('PostgreSQL that does not answer', () => {
  const statementTimeoutMs = 300;

  it('a namespace that another session has locked › timeout, other namespaces go on, and it too when it is free', async () => {
    await withRecords(
      async ({ store }, schema) => {
        await put(store, [newMemory({ id: 'a' })]);
        await put(store, [newMemory({ id: 'a' })], { namespace: 'other' });
        const lock = ['BEGIN', `SELECT 1 FROM namespace WHERE name = '${SPACE}' FOR UPDATE`];
        await beside(schema, lock, async () => {
          const late = put(store, [newMemory({ id: 'b' })]);
          await put(store, [newMemory({ id: 'b' })], { namespace: 'other' });
          expect((await getOne(store, 'a'))?.id).toBe('a');
          await expect(late).rejects.toMatchObject(unavailable('timeout'));
        });
        await put(store, [newMemory({ id: 'b' })]);
      },
      { statementTimeoutMs },
    );
  });

  it('a locked table › only the error of a write says that it may have taken effect', async () => {
    await withRecords(async (_, schema) => {
      const database = new PostgresDatabase({ url: server.url, schema, statementTimeoutMs });
      const says = (text: string) => ({
        ...unavailable('timeout'),
        message: `PostgreSQL does not answer in time${text}`,
      });
      try {
        await beside(schema, ['BEGIN', 'LOCK TABLE meta'], async () => {
          const read = database.read((session) => session.run(sql`SELECT * FROM meta`));
          await expect(read).rejects.toMatchObject(says(''));
          const write = database.transaction((session) => session.run(sql`UPDATE meta SET settings = settings`));
          const effect = '; a write that was under way may have taken effect';
          await expect(write).rejects.toMatchObject(says(effect));
        });
      } finally {
        await database.close();
      }
    });
  });

  it('all of its processes are stopped › calls fail in time, and succeed when they go on', async () => {
    await withRecords(
      async ({ store }) => {
        await put(store, [newMemory({ id: 'a' })]);
        server.freeze();
        try {
          const calls = [getOne(store, 'a'), put(store, [newMemory({ id: 'b' })])];
          for (const call of calls) await expect(call).rejects.toMatchObject(unavailable('timeout'));
        } finally {
          server.thaw();
        }
        expect((await getOne(store, 'a'))?.id).toBe('a');
        await put(store, [newMemory({ id: 'b' })], { onConflict: 'replace' });
      },
      { statementTimeoutMs },
    );
  });

  it('it is not there › disconnected, at the start as well', async () => {
    const url = server.url.replace(encodeURIComponent(server.folder), encodeURIComponent('/nowhere'));
    await expect(openPostgresRecords({ url })).rejects.toMatchObject(unavailable('disconnected'));
  });
});

describe('a read-only scope', () => {
  it('stored, replaced, changed, deleted by any server › refused as a whole; retrievals, moves and expiry go on', async () => {
    await withRecords(async ({ store, records }) => {
      const kept = { project: 'kept', agentType: '', agent: '', session: '' };
      const at = { namespace: SPACE, atUs: NOW_US };
      await put(
        store,
        [
          newMemory({ id: 'in', scope: kept }),
          newMemory({ id: 'out' }),
          newMemory({ id: 'old', scope: kept, expiresAtUs: 5 }),
        ],
        { atUs: 1 },
      );
      const policy = { scope: kept, isPrivate: false, isReadOnly: true, isIsolated: false };
      await records.policies.set({ ...at, policy });
      const refused = [
        put(store, [newMemory({ id: 'new' }), newMemory({ id: 'new-in', scope: kept })]),
        put(store, [newMemory({ id: 'in' })], { onConflict: 'replace' }),
        put(store, [newMemory({ id: 'new' })], { erasedIds: ['in'] }),
        store.write({ kind: 'update', ...at, id: 'in', changes: { importance: 1 } }),
        store.write({ kind: 'update', ...at, id: 'out', changes: { scope: kept } }),
        store.write({ kind: 'delete', ...at, ids: ['out', 'in'], cause: 'deleted', mustExist: true }),
      ];
      const results = await Promise.allSettled([...refused, put(store, [newMemory({ id: 'beside' })])]);
      const reasons = results.map((one) =>
        one.status === 'rejected' ? (one.reason as { reason: string }).reason : '',
      );
      expect(reasons).toEqual([...refused.map(() => 'SCOPE_READ_ONLY'), '']);
      await store.write({ kind: 'touch', ...at, ids: ['in'] });
      await store.write({ kind: 'move', ...at, ids: ['in'], to: 'long_term', resolution: FULL_RESOLUTION });
      await store.write({ kind: 'delete', ...at, ids: ['old'], cause: 'expired', mustExist: false });
      const present = await store.get({
        namespace: SPACE,
        ids: ['in', 'out', 'new', 'beside'],
        view: 'basic',
        nowUs: 1,
      });
      expect(present.map((memory) => memory && [memory.id, memory.scope.project, memory.importance])).toEqual([
        ['in', 'kept', 0.5],
        ['out', '', 0.5],
        undefined,
        ['beside', '', 0.5],
      ]);
    });
  });
});

describe('several servers', () => {
  it('started at once on an empty database › one creates the tables, all work', async () => {
    const schema = newSchema();
    const all = await Promise.all(Array.from({ length: 3 }, () => openRecords({ url: server.url, schema })));
    await Promise.all(all.map(({ store }, at) => put(store, [newMemory({ id: `m${at}` })])));
    const counts = await Promise.all(all.map(({ store }) => store.count({ namespace: SPACE, nowUs: NOW_US })));
    expect(counts).toEqual(all.map(() => new Map([['short_term', 3]])));
    for (const { close } of all) await close();
    expect(await brokenRules(server.url, schema)).toEqual([]);
  });

  it('that write the same memories › one order, each reads what the other has acknowledged', async () => {
    const schema = newSchema();
    const [one, other] = await Promise.all([1, 2].map(() => openRecords({ url: server.url, schema })));
    if (!one || !other) throw new Error('two servers');
    await put(one.store, [newMemory({ id: 'shared', importance: 0 })]);
    const revisions: number[] = [];
    const raise = async ({ store }: RecordsOfTest) => {
      for (let turn = 0; turn < 20; turn++) {
        const changes = { importance: turn / 20 };
        revisions.push(
          (await store.write({ kind: 'update', namespace: SPACE, id: 'shared', changes, atUs: NOW_US })).revision,
        );
      }
    };
    await Promise.all([raise(one), raise(other), raise(one)]);
    expect(new Set(revisions).size).toBe(60);
    for (let turn = 0; turn < 10; turn++) {
      await put(one.store, [newMemory({ id: `t${turn}` })]);
      expect((await getOne(other.store, `t${turn}`))?.id).toBe(`t${turn}`);
    }
    expect(await other.store.revisions({ namespace: SPACE, id: 'shared', limit: 100, nowUs: NOW_US })).toHaveLength(61);
    await one.close();
    await other.close();
    expect(await brokenRules(server.url, schema)).toEqual([]);
  });

  it('that create and delete one namespace › no rows of a deleted one are left, revisions rise', async () => {
    const schema = newSchema();
    const [one, other] = await Promise.all([1, 2].map(() => openRecords({ url: server.url, schema })));
    if (!one || !other) throw new Error('two servers');
    let newest = 0;
    for (let turn = 0; turn < 5; turn++) {
      const made = await Promise.all([one, other].map(({ store }, at) => put(store, [newMemory({ id: `m${at}` })])));
      const least = Math.min(...made.map(({ revision }) => revision));
      expect(least).toBeGreaterThan(newest);
      newest = (await other.store.write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US })).revision;
    }
    await one.records.settled();
    await other.records.settled();
    await one.close();
    await other.close();
    const client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
    await client.connect();
    const tables = ['memory', 'memory_body', 'memory_vector', 'memory_revision', 'change_log', 'namespace_erasure'];
    for (const table of tables)
      expect([table, (await client.query(`SELECT 1 FROM ${table}`)).rows]).toEqual([table, []]);
    await client.end();
  });
});
