import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Memory, Mneme } from '../../clients/typescript/src/index.ts';
import { type Repair, repairFolder } from '../../src/storage/sqlite/damage/repair.ts';
import { isWhole, verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom } from '../support/random.ts';
import { damagePage, FAULTS, type Page, pagesOf, putBackPage, stalePagesOf } from './damage/pages.ts';
import { startServer } from './damage/server.ts';
import { FILTERS, fill, olderThan, SPACES, type Stored } from './damage/stored.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const TRIALS = sized({ sample: 4, nightly: 12 });
const random = seededRandom('repair');

let folder: string;
let template: string;
let stored: Stored;
let pages: Page[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-repair-'));
  template = join(folder, 'template');
  stored = await fill(template, seededRandom('memories', 'damage'));
  pages = pagesOf(template);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let copies = 0;
function damagedCopy(owner?: string): { copy: string; what: string } {
  const copy = join(folder, `copy-${copies++}`);
  cpSync(template, copy, { recursive: true });
  const among = pages.filter((page) => (owner === undefined ? page.owner !== 'sqlite_schema' : page.owner === owner));
  const page = random.pick(among.filter(({ kind }) => owner === undefined || kind === 'leaf'));
  const fault = random.pick(FAULTS);
  damagePage(copy, page, fault, random);
  return { copy, what: `${fault} ${page.kind} page ${page.number} of ${page.owner}` };
}

/** Every memory that is not listed as lost is there, as it was stored, and found by filters. */
async function expectRest(mneme: Mneme, { lost }: Repair, what: string): Promise<void> {
  for (const space of SPACES) {
    const lostIds = new Set(lost.filter(({ namespace }) => namespace === space).map(({ id }) => id));
    const wanted = [...(stored.memories.get(space) ?? [])].filter(([id]) => !lostIds.has(id));
    const of = mneme.withNamespace(space);
    const got = new Map<string, Memory>();
    for await (const memory of of.list({ order: 'create_time_asc' })) got.set(memory.id, memory);
    expect([what, [...got.keys()].sort()]).toEqual([what, wanted.map(([id]) => id).sort()]);
    for (const [id, memory] of wanted) expect([what, got.get(id)]).toEqual([what, memory]);
    for (const { filter, admits } of FILTERS) {
      const { count } = await of.count({ filter });
      expect([what, count]).toEqual([what, wanted.filter(([, memory]) => admits(memory)).length]);
    }
    await of.store({ id: 'later', text: 'stored after the repair' });
    const { hits } = await of.recall({ text: 'stored after the repair', limit: 1, minRelevance: 0 });
    expect([what, hits[0]?.memory.id]).toEqual([what, 'later']);
  }
}

describe('mneme repair', () => {
  it('a page damaged › the new file is whole, and has all but the memories that are listed', async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const { copy, what } = damagedCopy();
      const repair = repairFolder({ folder: copy, nowMs: NOW_MS });
      expect([what, verifyFolder(copy)]).toMatchObject([what, { tables: [], memories: [] }]);
      expect([what, existsSync(repair.keptFile)]).toEqual([what, !repair.wasWhole]);
      const server = await startServer(copy);
      await expectRest(server.mneme, repair, what);
      await server.stop();
      rmSync(copy, { recursive: true });
    }
  });

  it('X2 an older page put back › found, and the new file is whole', async () => {
    const stale = new Map(stalePagesOf(template, olderThan(template)).map((page) => [page.owner, page]));
    expect(stale.size).toBeGreaterThan(2);
    for (const [owner, page] of stale) {
      const copy = join(folder, `stale-${owner}`);
      cpSync(template, copy, { recursive: true });
      putBackPage(copy, page, olderThan(template));
      expect([owner, isWhole(verifyFolder(copy))]).toEqual([owner, false]);
      const repair = repairFolder({ folder: copy, nowMs: NOW_MS });
      expect([owner, isWhole(verifyFolder(copy))]).toEqual([owner, true]);
      const server = await startServer(copy);
      await expectRest(server.mneme, repair, owner);
      await server.stop();
    }
  });

  it('with a backup › nothing is lost', async () => {
    for (const owner of ['memory', 'memory_body']) {
      const { copy, what } = damagedCopy(owner);
      expect(verifyFolder(copy).memories.length).toBeGreaterThan(0);
      const repair = repairFolder({ folder: copy, backup: template, nowMs: NOW_MS });
      expect([what, repair.lost]).toEqual([what, []]);
      expect(repair.restored.length).toBeGreaterThan(0);
      const server = await startServer(copy);
      await expectRest(server.mneme, repair, what);
      await server.stop();
    }
  });

  it('names of namespaces only in the log › deleted ones stay deleted, one that was created again has its new memories', async () => {
    const copy = join(folder, 'names');
    const before = await startServer(copy);
    for (const [name, id] of [
      ['again', 'old'],
      ['gone', 'lost'],
      ['kept', 'kept'],
    ] as const) {
      await before.mneme.withNamespace(name).store({ id, text: `memory ${id}` });
    }
    for (const name of ['again', 'gone']) await before.mneme.namespaces.delete(name, { force: true });
    await before.mneme.withNamespace('again').store({ id: 'new', text: 'memory new' });
    await before.stop();
    const owners = ['namespace', 'sqlite_autoindex_namespace_1'];
    for (const page of pagesOf(copy).filter(({ owner }) => owners.includes(owner))) {
      damagePage(copy, page, 'zeros', random);
    }
    const repair = repairFolder({ folder: copy, nowMs: NOW_MS });

    expect(repair).toMatchObject({ wasWhole: false, lost: [] });
    const after = await startServer(copy);
    const found: string[] = [];
    for await (const { name } of after.mneme.namespaces.list()) found.push(name);
    expect(found.sort()).toEqual(['namespaces/again', 'namespaces/kept']);
    const memories: string[] = [];
    for await (const { id } of after.mneme.withNamespace('again').list()) memories.push(id);
    expect(memories).toEqual(['new']);
    await after.stop();
  });

  it('killed before any step › the next run repairs', () => {
    const { copy } = damagedCopy('memory');
    const lost = verifyFolder(copy).memories;
    for (const step of ['begin', 'written', 'kept', 'renamed']) {
      const again = join(folder, `killed-${step}`);
      cpSync(copy, again, { recursive: true });
      const script = `
        import { repairFolder } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/sqlite/damage/repair.ts'))};
        repairFolder({ folder: ${JSON.stringify(again)}, nowMs: ${NOW_MS}, onStep: (step) => {
          if (step === ${JSON.stringify(step)}) process.kill(process.pid, 'SIGKILL');
        } });`;
      const child = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]);
      expect([step, child.signal]).toEqual([step, 'SIGKILL']);
      const repair = repairFolder({ folder: again, nowMs: NOW_MS + 1000 });
      expect([step, repair.wasWhole]).toEqual([step, step === 'renamed']);
      if (!repair.wasWhole) expect(repair.lost).toEqual(lost);
      expect(verifyFolder(again)).toMatchObject({ tables: [], memories: [] });
      expect(readdirSync(again).filter((name) => name.includes('repaired'))).toEqual([]);
    }
  });

  it('a whole folder › stays as it is; one in use, or without a readable list of tables › refused in one line', async () => {
    const copy = join(folder, 'whole');
    cpSync(template, copy, { recursive: true });
    expect(repairFolder({ folder: copy, nowMs: NOW_MS })).toMatchObject({ wasWhole: true, keptFile: '' });
    const server = await startServer(copy);
    expect(() => repairFolder({ folder: copy, nowMs: NOW_MS })).toThrow(/is in use by another mneme/);
    await server.stop();
    const { copy: schema } = damagedCopy('sqlite_schema');
    expect(() => repairFolder({ folder: schema, nowMs: NOW_MS })).toThrow(/put a backup in its place/);
    expect(verifyFolder(schema).tables).toMatchObject([{ name: 'sqlite_schema' }]);
  });
});
