import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Memory, Mneme } from '../../clients/typescript/src/index.ts';
import { makeBackup } from '../../src/storage/sqlite/backup/make-backup.ts';
import { restoreBackup } from '../../src/storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../../src/storage/sqlite/backup/select-backup.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { startServer, type TrialServer } from './damage/server.ts';
import { brokenRules } from './store-faults.ts';

const SPACES = ['default', 'other'];
const WRITES = 120;

let folder: string;
let data: string;
let backups: string;
let server: TrialServer;
let nextTerm = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-restore-point-'));
  data = join(folder, 'data');
  backups = join(folder, 'backups');
  server = await startServer(data);
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const backUp = async () =>
  (await makeBackup({ folder: data, repository: backups, version: 'test', nowMs: Date.now })).manifest;

function restored(point?: RestorePoint) {
  const to = join(folder, `restored-${nextTerm}`);
  const done = restoreBackup({
    repository: backups,
    folder: to,
    point,
    nowMs: Date.now(),
    term: `restored-${nextTerm++}`,
  });
  return { to, done };
}

type State = Map<string, Omit<Memory, 'version'>>;

/** What a client reads of each memory, without the numbers that each write changes. */
async function stateOf(mneme: Mneme): Promise<State> {
  const state: State = new Map();
  const names = new Set<string>();
  for await (const { name } of mneme.namespaces.list()) names.add(name.replace('namespaces/', ''));
  for (const space of SPACES.filter((one) => names.has(one))) {
    for await (const memory of mneme.withNamespace(space).list({ view: 'full' }))
      state.set(memory.name, lasting(memory));
  }
  return state;
}

function lasting({ version: _, ...memory }: Memory): Omit<Memory, 'version'> {
  return memory;
}

function withoutVectors(state: State): Map<string, object> {
  return new Map([...state].map(([name, { embedding: _, ...memory }]) => [name, memory]));
}

const vectorOf = (random: TestRandom) => ({ model: 'm', values: Array.from({ length: 4 }, () => random.next() - 0.5) });

/** Stores or updates a memory; returns the revision. */
async function write(mneme: Mneme, random: TestRandom, n: number, known: Set<string>): Promise<number> {
  const space = mneme.withNamespace(random.pick(SPACES));
  const id = `m${random.int(40)}`;
  const memory = {
    text: random.chance(0.3) ? 'the same text' : `text ${n}`,
    content: { n, kind: random.pick(['a', 'b']) },
    importance: random.int(10) / 10,
    ...(random.chance(0.5) && { embedding: vectorOf(random) }),
  };
  const key = `${space.namespace}/${id}`;
  const { revision } = known.has(key) ? await space.update(id, memory) : await space.store({ id, ...memory });
  known.add(key);
  return revision;
}

describe('restore › at a revision or a time', () => {
  it('stores and updates only › every revision between two backups gives the memories of that revision', async () => {
    const random = seededRandom('restore at revisions');
    const states = new Map<number, State>();
    const known = new Set<string>();
    await backUp();
    for (let n = 0; n < WRITES; n++) {
      const revision = await write(server.mneme, random, n, known);
      if (n % 12 === 5) states.set(revision, await stateOf(server.mneme));
      if (n === WRITES / 2) await backUp();
    }
    const { revision: end } = await backUp();
    for (const [revision, state] of states) {
      const { to, done } = restored({ revision });
      expect(done.rewound?.revision ?? done.manifest.revision).toBe(revision);
      expect(verifyFolder(to)).toMatchObject({ tables: [], memories: [] });
      expect(brokenRules(join(to, 'mneme.db'))).toEqual([]);
      const other = await startServer(to);
      const got = await stateOf(other.mneme);
      expect([random.seed, revision, withoutVectors(got)]).toEqual([random.seed, revision, withoutVectors(state)]);
      // A vector of an updated memory is that of the revision, or is to be computed again: never that of another text.
      for (const [name, { embedding }] of got) {
        if (embedding)
          expect([random.seed, revision, name, embedding]).toEqual([
            random.seed,
            revision,
            name,
            state.get(name)?.embedding,
          ]);
      }
      const [some] = [...state.keys()];
      const [, space = '', , id = ''] = some?.split('/') ?? [];
      const { hits } = await other.mneme.withNamespace(space).recall({ text: `text`, limit: 100, minRelevance: 0 });
      if (some) expect(hits.map(({ memory }) => memory.id)).toContain(id);
      const { revision: next } = await other.mneme.store({ text: 'stored after the restore' });
      expect(next).toBeGreaterThan(end < revision ? revision : done.manifest.revision);
      await other.stop();
    }
  }, 120_000);

  it('a time › the memories as they were then; after the newest backup › refused', async () => {
    const { mneme } = server;
    await mneme.store({ id: 'early', text: 'early' });
    const { updateTime } = await mneme.get('early');
    await mneme.update('early', { text: 'changed' });
    await mneme.store({ id: 'late', text: 'late' });
    await backUp();
    const { to, done } = restored({ timeMs: updateTime.getTime() + 1 });
    const other = await startServer(to);
    const found = await stateOf(other.mneme);
    await other.stop();
    expect(done.rewound).toBeDefined();
    // Changes in the same millisecond are not told apart.
    const text = found.get('namespaces/default/memories/early')?.text;
    expect(['early', 'changed']).toContain(text);
    expect(() => restored({ timeMs: Date.now() + 60_000 })).toThrow(/is after the newest backup/);
    expect(() => restored({ revision: 1000 })).toThrow(/newer than the newest backup, which is of revision/);
    const ofNamespace = { namespace: 'default', revision: 1 };
    expect(() => restored(ofNamespace)).toThrow('a data folder, whose revisions are of all namespaces: --at 1');
    expect(() => restored({ number: 7 })).toThrow(/has no backup 7/);
  });

  it('a later change that left all fields › the times of the revision', async () => {
    const { mneme } = server;
    const { revision } = await mneme.store({ id: 'a', text: 'the same text' });
    const state = await stateOf(mneme);
    await mneme.update('a', { text: 'the same text' });
    await backUp();
    const { to } = restored({ revision });
    const other = await startServer(to);
    expect(await stateOf(other.mneme)).toEqual(state);
    await other.stop();
  });

  it('what the log cannot give back › refused with the reason and both neighbours, and nothing is written', async () => {
    const { mneme } = server;
    await mneme.store({ id: 'a', text: 'a' });
    const first = await backUp();
    const { revision } = await mneme.store({ id: 'b', text: 'b' });
    await mneme.delete('a');
    const second = await backUp();
    const at = () => restored({ revision });
    expect(at).toThrow(
      `this state cannot be restored: 1 of its memories, such as a, were deleted later, and a deletion erases for good; ` +
        `restore --backup ${second.number} of revision ${second.revision} as a whole, or --backup ${first.number} of revision ${first.revision} before it`,
    );
    expect(readdirSync(join(folder, `restored-${nextTerm - 1}`)).filter((name) => name.endsWith('.db'))).toEqual([]);
    const { revision: before } = await mneme.withNamespace('gone').store({ id: 'c', text: 'c' });
    await mneme.namespaces.delete('gone', { force: true });
    await backUp();
    expect(() => restored({ revision: before })).toThrow(/1 of its namespaces were deleted later/);
  });

  it('a namespace that came later › is gone; sessions stay as in the backup', async () => {
    const { mneme } = server;
    const { revision } = await mneme.store({ id: 'a', text: 'a' });
    await mneme.withNamespace('other').store({ id: 'b', text: 'b' });
    await mneme.session('s').set('key', 'value');
    await backUp();
    const { to, done } = restored({ revision });
    expect(done.rewound).toMatchObject({ revision, namespaces: ['other'] });
    const other = await startServer(to);
    expect([...(await stateOf(other.mneme)).keys()]).toEqual(['namespaces/default/memories/a']);
    expect((await other.mneme.session('s').get('key'))?.value.json()).toBe('value');
    await other.stop();
  });

  it('after a restore that went back › revisions are those of the newest history', async () => {
    const { mneme } = server;
    await mneme.store({ id: 'a', text: 'a' });
    await backUp();
    await mneme.store({ id: 'lost', text: 'lost' });
    await backUp();
    await server.stop();
    restoreBackup({
      repository: backups,
      folder: data,
      point: { number: 1 },
      force: true,
      nowMs: Date.now(),
      term: 'back',
    });
    server = await startServer(data);
    const { revision } = await server.mneme.store({ id: 'new', text: 'new' });
    await server.mneme.store({ id: 'newer', text: 'newer' });
    await backUp();
    const { to } = restored({ revision });
    const other = await startServer(to);
    expect([...(await stateOf(other.mneme)).keys()].sort()).toEqual(
      ['a', 'new'].map((id) => `namespaces/default/memories/${id}`),
    );
    await other.stop();
  });
});
