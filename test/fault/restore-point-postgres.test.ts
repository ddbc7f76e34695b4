import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { checksumOf } from '../../src/memory/checksum.ts';
import type { Memory } from '../../src/memory/memory.ts';
import { backUpPostgres } from '../../src/server/assembly/backup-postgres.ts';
import { configFrom } from '../../src/server/config/config.ts';
import { readMemories } from '../../src/storage/migration/sqlite-memories.ts';
import { openPostgresRecords, type PostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { restoreBackup } from '../../src/storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../../src/storage/sqlite/backup/select-backup.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { openReadOnly } from '../../src/storage/sqlite/database.ts';
import { newMemory } from '../support/new-memory.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { brokenRules } from './store-faults.ts';

const SPACES = ['left', 'right'] as const;
const START_MS = Date.parse('2026-11-01T08:00:00Z');
const WRITES = 80;

let postgres: PostgresServer;
let folder: string;
let backups: string;
let schema: string;
/** Two servers of the same tables. */
let servers: PostgresRecords[];
/** Each write is at another second. */
let nowMs: number;
let count = 0;
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-restore-point-postgres-'));
  backups = join(folder, 'backups');
  schema = `point_${++count}`;
  nowMs = START_MS;
  servers = [];
  for (let n = 0; n < 2; n++) servers.push(await openPostgresRecords({ url: postgres.url, schema }));
});
afterEach(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const records = (n = 0) => servers[n] as PostgresRecords;
/** The time of the next write. */
const nextUs = () => {
  nowMs += 1000;
  return nowMs * 1000;
};

async function backUp() {
  nowMs += 1000;
  const config = configFrom({ flags: {}, env: postgres.envOf(schema) });
  const options = { config, repository: backups, keep: undefined, version: 'test', nowMs: () => nowMs };
  return (await backUpPostgres({ ...options, term: `backup ${++count}` })).manifest;
}

function restored(point?: RestorePoint) {
  const to = join(folder, `restored-${++count}`);
  const done = restoreBackup({ repository: backups, folder: to, point, nowMs, term: `restored ${count}` });
  return { to, done };
}

type State = Map<string, Omit<Memory, 'revision'>>;

const named = (state: State, { revision: _, ...memory }: Memory) =>
  state.set(`${memory.namespace}/${memory.id}`, memory);

/** The memories in PostgreSQL, without the numbers that each write changes. */
async function stateOf(): Promise<State> {
  const state: State = new Map();
  for (const { name: namespace } of await records().listNamespaces({ limit: 100 })) {
    const ids: string[] = [];
    for await (const id of records().allIds(namespace)) ids.push(id);
    const copies = ids.length === 0 ? [] : await records().copies({ namespace, ids });
    for (const { memory } of copies) named(state, memory);
  }
  return state;
}

function stateIn(to: string): State {
  const state: State = new Map();
  const database = openReadOnly(to);
  let after: number | undefined;
  for (;;) {
    const page = [...readMemories(database, after === undefined ? [] : [after])];
    if (page.length === 0) break;
    for (const { records: found } of page) for (const { memory } of found) named(state, memory);
    after = Number(page.at(-1)?.place[0]);
  }
  database.close();
  return state;
}

async function store(namespace: string, id: string, text = `text of ${id}`, server = 0): Promise<number> {
  const atUs = nextUs();
  const memory = newMemory({ id, text, createdAtUs: atUs, updatedAtUs: atUs });
  const write = { namespace, memories: [memory], createNamespace: true, onConflict: 'replace' as const, atUs };
  return (await records(server).write({ kind: 'store', ...write })).revision;
}

const changeOf = (text: string) => ({ text, checksum: checksumOf(text) });

async function remove(namespace: string, id: string): Promise<number> {
  const write = { namespace, ids: [id], cause: 'deleted' as const, mustExist: true, atUs: nextUs() };
  return (await records().write({ kind: 'delete', ...write })).revision;
}

/** Stores, replaces, updates or supersedes a memory at one of the servers. */
async function write(random: TestRandom, n: number, known: Set<string>) {
  const [namespace, server] = [random.pick(SPACES), random.int(2)];
  const id = `m${random.int(12)}`;
  const key = `${namespace}/${id}`;
  const text = random.chance(0.2) ? 'the same text' : `text ${n}`;
  if (!known.has(key) || random.chance(0.3)) {
    known.add(key);
    return { namespace, revision: await store(namespace, id, text, server) };
  }
  const atUs = nextUs();
  const successor = random.chance(0.3)
    ? newMemory({ id: `s${n}`, text, createdAtUs: atUs, updatedAtUs: atUs })
    : undefined;
  const changes = { ...changeOf(text), importance: random.int(10) / 10 };
  const { revision } = await records(server).write({
    kind: 'update',
    namespace,
    id,
    changes,
    atUs,
    ...(successor && { successor }),
  });
  return { namespace, revision };
}

async function sql(...statements: string[]): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    await client.query(`SET search_path = ${schema}`);
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** As the limits of the change log do, before a revision of a namespace. */
const cut = (namespace: string, through: number) =>
  sql(
    `UPDATE namespace SET log_start = ${through} WHERE name = '${namespace}'`,
    'DELETE FROM change_log c USING namespace n WHERE n.key = c.namespace_key AND c.revision <= n.log_start',
  );

describe('restore › PostgreSQL at a time or at a revision of a namespace', () => {
  it('stores, updates, supersessions by two servers › the memories of all namespaces at that moment', async () => {
    const random = seededRandom('restore PostgreSQL at points');
    const moments: { timeMs: number; namespace: string; revision: number; state: State }[] = [];
    const known = new Set<string>();
    const last = new Map<string, number>();
    for (let n = 0; n < WRITES; n++) {
      const done = await write(random, n, known);
      last.set(done.namespace, done.revision);
      if (n % 10 === 4) moments.push({ ...done, timeMs: nowMs, state: await stateOf() });
      if (n === WRITES / 2) await backUp();
    }
    const { namespaces } = await backUp();
    expect(namespaces).toMatchObject(
      (await records().listNamespaces({ limit: 2 })).map(({ name }) => ({ name, revision: last.get(name) })),
    );
    for (const { timeMs, namespace, revision, state } of moments) {
      for (const point of [{ timeMs: timeMs + 500 }, { namespace, revision }]) {
        const { to, done } = restored(point);
        const number = timeMs < START_MS + (WRITES / 2) * 1000 ? 1 : 2;
        expect([random.seed, point, done.manifest.number]).toEqual([random.seed, point, number]);
        expect([random.seed, point, stateIn(to)]).toEqual([random.seed, point, state]);
        expect(verifyFolder(to)).toMatchObject({ tables: [], memories: [] });
        expect(brokenRules(join(to, 'mneme.db'))).toEqual([]);
        const reached = 'revision' in point ? { revision, time: new Date(timeMs).toISOString() } : {};
        expect(done.rewound).toMatchObject(reached);
      }
    }
  }, 240_000);

  it('later changes that left all fields › the times of the point', async () => {
    await store('left', 'updated', 'the same text');
    await store('left', 'replaced', 'the same text');
    const state = await stateOf();
    const timeMs = nowMs;
    const changes = changeOf('the same text');
    await records().write({ kind: 'update', namespace: 'left', id: 'updated', changes, atUs: nextUs() });
    for (const text of ['another text', 'the same text']) await store('left', 'replaced', text);
    await backUp();
    expect(stateIn(restored({ timeMs }).to)).toEqual(state);
  }, 60_000);

  it('a deletion after the point › refused with the reason and both neighbours, and nothing is written', async () => {
    await store('left', 'a');
    await store('left', 'kept');
    const first = await backUp();
    const revision = await store('right', 'b');
    const timeMs = nowMs;
    // Other erased memories, and one with the same id, are not mistaken for it.
    await store('left', 'brief');
    await remove('left', 'brief');
    await remove('left', 'a');
    await store('left', 'a', 'another one');
    const second = await backUp();
    const message =
      `this state cannot be restored: 1 of its memories, such as a, were deleted later, and a deletion erases for good; ` +
      `restore --backup ${second.number} of ${second.time} as a whole, or --backup ${first.number} of ${first.time} before it`;
    for (const point of [{ timeMs }, { namespace: 'right', revision }]) {
      expect(() => restored(point)).toThrow(message);
      expect(readdirSync(join(folder, `restored-${count}`)).filter((name) => name.endsWith('.db'))).toEqual([]);
    }
    const { to } = restored({ timeMs: nowMs - 1500 });
    expect([...stateIn(to).keys()].sort()).toEqual(['left/kept', 'right/b']);
  }, 60_000);

  it('a namespace deleted since › refused, also one that no backup has; a namespace that came later › gone', async () => {
    await store('left', 'a');
    await backUp();
    await store('left', 'b');
    const before = nowMs;
    await store('right', 'c');
    await backUp();
    const { to, done } = restored({ timeMs: before });
    expect(done.rewound).toMatchObject({ namespaces: ['right'], erasedCount: 1 });
    expect([...stateIn(to).keys()].sort()).toEqual(['left/a', 'left/b']);
    await store('left', 'd');
    const later = nowMs;
    await records().write({ kind: 'deleteNamespace', name: 'right', force: true, atUs: nextUs() });
    await store('right', 'e');
    await backUp();
    expect(() => restored({ timeMs: later })).toThrow(
      /1 of its namespaces, such as right, may have been deleted later/,
    );
    await store('brief', 'f');
    const brief = nowMs;
    await records().write({ kind: 'deleteNamespace', name: 'brief', force: true, atUs: nextUs() });
    await backUp();
    expect(() => restored({ timeMs: brief })).toThrow(/a namespace was created and deleted since the backup before it/);
    // Without an earlier backup, no log shows a deleted namespace.
    rmSync(backups, { recursive: true });
    await backUp();
    expect(() => restored({ timeMs: brief })).toThrow(/may have been deleted later, and no earlier backup shows it/);
  }, 60_000);

  it('before the beginning of a log › refused; of one that an earlier backup shows to be cut before the point › restored', async () => {
    const first = await store('left', 'a');
    await store('left', 'old');
    await store('right', 'b');
    const early = nowMs;
    const second = await store('left', 'a', 'second');
    await cut('left', second);
    await backUp();
    expect(() => restored({ timeMs: early })).toThrow(
      `the change log of namespaces/left begins behind its revision ${second}, after that time`,
    );
    expect(() => restored({ namespace: 'left', revision: first })).toThrow(/namespaces\/left begins behind revision/);
    await store('right', 'c');
    const state = await stateOf();
    const timeMs = nowMs;
    await store('left', 'a', 'third');
    await store('left', 'old', 'changed');
    await backUp();
    expect(stateIn(restored({ timeMs }).to)).toEqual(state);
  }, 60_000);

  it('before everything › nothing; a revision or time that no backup has › refused', async () => {
    await store('left', 'a');
    const manifest = await backUp();
    expect(stateIn(restored({ timeMs: START_MS }).to).size).toBe(0);
    expect(() => restored({ timeMs: nowMs + 1 })).toThrow(`is after the newest backup, which is of ${manifest.time}`);
    expect(() => restored({ namespace: 'left', revision: 1000 })).toThrow(/newer than its newest one in a backup/);
    expect(() => restored({ namespace: 'other', revision: 1 })).toThrow('no backup has namespaces/other');
    expect(() => restored({ namespace: 'left', revision: 0 })).toThrow(/is not one of its changes/);
    expect(() => restored({ revision: 1 })).toThrow('name one, such as --at default@1');
  }, 60_000);

  it('a state that a change has dropped › refused, never an earlier one', async () => {
    await store('left', 'a', 'first');
    await store('left', 'a', 'second');
    const timeMs = nowMs;
    const write = { namespace: 'left', id: 'a', changes: changeOf('third'), dropsFormer: true, atUs: nextUs() };
    await records().write({ kind: 'update', ...write });
    await backUp();
    expect(() => restored({ timeMs })).toThrow('a former state of a memory in namespaces/left was not kept');
    expect(stateIn(restored({ timeMs: timeMs - 1000 }).to).get('left/a')?.text).toBe('first');
    // Where the log is cut, the record of dropped contents shows it.
    await store('left', 'b', 'first');
    const cutAt = await store('left', 'b', 'second');
    await cut('left', cutAt);
    await backUp();
    await store('right', 'c');
    const later = nowMs;
    const compaction = { checksum: checksumOf('second'), contentBytes: 6, droppedKeys: ['k'] };
    const dropping = { ...changeOf('third'), compaction };
    await records().write({
      kind: 'update',
      namespace: 'left',
      id: 'b',
      changes: dropping,
      dropsFormer: true,
      atUs: nextUs(),
    });
    await backUp();
    expect(() => restored({ timeMs: later })).toThrow('a former state of a memory in namespaces/left was not kept');
  }, 60_000);
});
