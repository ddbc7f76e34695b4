import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Content, type Mneme } from '../../clients/typescript/src/index.ts';
import { makeBackup } from '../../src/storage/sqlite/backup/make-backup.ts';
import { type Manifest, readManifest, writeManifest } from '../../src/storage/sqlite/backup/manifest.ts';
import { restoreBackup } from '../../src/storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../../src/storage/sqlite/backup/select-backup.ts';
import { verifyBackups } from '../../src/storage/sqlite/backup/verify-backup.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { SCHEMA_NUMBER } from '../../src/storage/sqlite/tables.ts';
import { seededRandom } from '../support/random.ts';
import { canMount, leaveFree, mountDisk } from '../support/small-disk.ts';
import { damagePage, pagesOf } from './damage/pages.ts';
import { startServer } from './damage/server.ts';

const NOW_MS = Date.UTC(2026, 10, 27);
const COUNT = 400;
const isMountable = canMount();

let folder: string;
let template: string;
/** Two backups: the second one after some changes. */
let backups: string;
let nextTerm = 0;

const random = seededRandom('backup');
/** Bytes that hardly compress, far more than the indexes that a later write changes. */
const filling = () =>
  new Content(
    'application/octet-stream',
    Uint8Array.from({ length: 8000 }, () => random.int(256)),
  );
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `m${n + from}`);
const backUp = (data: string, repository: string, keep?: number) =>
  makeBackup({ folder: data, repository, keep, version: 'test', nowMs: () => NOW_MS });
const restore = (repository: string, data: string, point?: RestorePoint, force = false) =>
  restoreBackup({ repository, folder: data, point, force, nowMs: NOW_MS, term: `restored-${nextTerm++}` });

async function withServer<T>(data: string, use: (mneme: Mneme) => Promise<T>): Promise<T> {
  const server = await startServer(data);
  try {
    return await use(server.mneme);
  } finally {
    await server.stop();
  }
}

/** Text of every memory, by namespace and id. */
async function textsOf(mneme: Mneme): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { name } of mneme.namespaces.list()) {
    for await (const memory of mneme.withNamespace(name.replace('namespaces/', '')).list()) {
      texts.set(memory.name, memory.text);
    }
  }
  return texts;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-backup-'));
  template = join(folder, 'template');
  backups = join(folder, 'backups');
  await withServer(template, async (mneme) => {
    const memories = ids(COUNT).map((id) => ({ id, text: `memory ${id} of the harbour`, content: filling() }));
    await mneme.batchStore(memories);
    await backUp(template, backups);
    await mneme.withNamespace('other').store({ id: 'one', text: 'a memory of another namespace' });
    await backUp(template, backups);
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let trial: string;
beforeEach(() => {
  trial = mkdtempSync(join(folder, 'trial-'));
});
afterEach(() => rmSync(trial, { recursive: true, force: true }));

const child = (script: string) =>
  spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { encoding: 'utf8' });
const moduleOf = (name: string) =>
  JSON.stringify(join(import.meta.dirname, '../../src/storage/sqlite/backup', `${name}.ts`));

const pack = (number: number) => join('packs', `${String(number).padStart(8, '0')}.pack`);
const manifest = (number: number) => join('backups', `${String(number).padStart(8, '0')}.json`);

function copyOfBackups(): string {
  const copy = join(trial, 'backups');
  cpSync(backups, copy, { recursive: true });
  return copy;
}

describe('backup', () => {
  it('of a running server › describes itself, is private, and restores every acknowledged write', async () => {
    const [first, second] = verifyBackups(backups);
    expect([first?.problem, second?.problem]).toEqual([undefined, undefined]);
    expect(first?.manifest).toMatchObject({
      number: 1,
      memoryCount: COUNT,
      schema: SCHEMA_NUMBER,
      version: 'test',
    });
    expect(second?.manifest?.namespaces).toMatchObject([
      { name: 'default', memoryCount: COUNT },
      { name: 'other', memoryCount: 1 },
    ]);
    // A listing of many backups of a large database is small.
    expect([first?.manifest, second?.manifest].some((manifest) => manifest && 'chunks' in manifest)).toBe(false);
    for (const name of readdirSync(backups, { recursive: true, encoding: 'utf8' })) {
      expect([name, statSync(join(backups, name)).mode & 0o077]).toEqual([name, 0]);
    }
    const restored = join(trial, 'data');
    restore(backups, restored);
    expect(verifyFolder(restored)).toMatchObject({ tables: [], memories: [], soundCount: COUNT + 1 });
    const expected = await withServer(template, textsOf);
    expect(await withServer(restored, textsOf)).toEqual(expected);
  });

  it('a second one › copies what has changed; --keep removes backups and the chunks that none needs', async () => {
    const data = join(trial, 'data');
    cpSync(template, data, { recursive: true });
    const repository = join(trial, 'backups');
    const whole = (await backUp(data, repository)).manifest;
    await withServer(data, (mneme) => mneme.store({ id: 'more', text: 'one more memory' }));
    const next = (await backUp(data, repository)).manifest;
    expect(next.packBytes).toBeLessThan(whole.packBytes / 4);
    expect(next.chunks.some(([, pack]) => pack === whole.number)).toBe(true);
    const same = await backUp(data, repository, 2);
    expect(same.manifest.packBytes).toBe(0);
    expect(same.removed).toEqual([1]);
    expect(verifyBackups(repository)).toMatchObject([{ number: 2 }, { number: 3 }]);
    for (let round = 0; round < 3; round++) {
      await withServer(data, async (mneme) => {
        await mneme.forget({ all: true });
        await mneme.batchStore(ids(COUNT).map((id) => ({ id, text: `round ${round}`, content: filling() })));
      });
      await backUp(data, repository, 1);
    }
    const [only, ...others] = verifyBackups(repository);
    expect([others, only?.problem]).toEqual([[], undefined]);
    const kept = readdirSync(join(repository, 'packs')).map((name) => statSync(join(repository, 'packs', name)).size);
    // A pack stays while half of it is in use.
    const needed = readManifest(join(repository, manifest(only?.number ?? 0))).chunks.reduce(
      (sum, [, , , length]) => sum + length,
      0,
    );
    expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThan(2.5 * needed);
    const restored = join(trial, 'restored');
    restore(repository, restored);
    expect(await withServer(restored, textsOf)).toEqual(await withServer(data, textsOf));
  });

  it('a damaged piece of an earlier one › is written again, and the new backup is restored', async () => {
    const repository = copyOfBackups();
    flip(join(repository, pack(1)));
    const made = await backUp(template, repository);
    expect(made.manifest.packBytes).toBeGreaterThan(0);
    expect((await backUp(template, repository)).manifest.packBytes).toBe(0);
    const isDamaged = verifyBackups(repository).map(({ problem }) => problem !== undefined);
    expect(isDamaged).toEqual([true, true, false, false]);
    const restored = join(trial, 'restored');
    restore(repository, restored);
    expect(verifyFolder(restored)).toMatchObject({ tables: [], memories: [], soundCount: COUNT + 1 });
  });

  it('a damaged manifest › with --keep, goes with the backups of its age, and packs are freed again', async () => {
    const repository = copyOfBackups();
    flip(join(repository, manifest(1)));
    const unused = join(repository, pack(9));
    writeFileSync(unused, '');
    expect((await backUp(template, repository, 3)).removed).toEqual([]);
    expect(existsSync(unused)).toBe(true);
    expect((await backUp(template, repository, 2)).removed).toEqual([1, 2]);
    expect(existsSync(unused)).toBe(false);
    expect(verifyBackups(repository).map(({ number, problem }) => [number, problem])).toEqual([
      [3, undefined],
      [4, undefined],
    ]);
  });

  it('removed by --keep while it is verified › is no damage; a file that cannot be opened is none either', async () => {
    const repository = copyOfBackups();
    await backUp(template, repository);
    const verified = verifyBackups(repository, () => {
      for (const file of [manifest(3), pack(3)]) rmSync(join(repository, file), { force: true });
    });
    expect(verified.map(({ number, problem }) => [number, problem])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    rmSync(join(repository, pack(1)));
    mkdirSync(join(repository, pack(1)));
    expect(() => verifyBackups(repository)).toThrow(/EISDIR/);
    await expect(backUp(template, repository)).rejects.toThrow(/EISDIR/);
  });

  it('killed at each step › earlier backups are whole, and the next run succeeds', async () => {
    for (const step of ['begin', 'copied', 'verified', 'packed', 'written', 'forgotten']) {
      const repository = join(trial, step);
      cpSync(backups, repository, { recursive: true });
      const { signal } = child(`
        import { makeBackup } from ${moduleOf('make-backup')};
        await makeBackup({ folder: ${JSON.stringify(template)}, repository: ${JSON.stringify(repository)}, keep: 2,
          version: 'test', nowMs: () => ${NOW_MS},
          onStep: (step) => { if (step === ${JSON.stringify(step)}) process.kill(process.pid, 'SIGKILL'); } });`);
      expect([step, signal]).toEqual([step, 'SIGKILL']);
      const left = verifyBackups(repository);
      expect([step, left.filter(({ problem }) => problem)]).toEqual([step, []]);
      const isMade = ['written', 'forgotten'].includes(step);
      expect([step, left.at(-1)?.number]).toEqual([step, isMade ? 3 : 2]);
      await backUp(template, repository, 2);
      expect([step, verifyBackups(repository).map(({ problem }) => problem)]).toEqual([step, [undefined, undefined]]);
      expect(readdirSync(join(repository, 'packs')).filter((name) => !name.endsWith('.pack'))).toEqual([]);
    }
  }, 120_000);

  it('a damaged folder, a folder in other use, no data folder › refused in one line, and earlier backups stay', async () => {
    const data = join(trial, 'data');
    cpSync(template, data, { recursive: true });
    const page = pagesOf(data).find(({ owner, kind }) => owner === 'memory_body' && kind === 'leaf');
    if (!page) throw new Error('the table has no leaf');
    damagePage(data, page, 'random', seededRandom('backup of a damaged folder'));
    const repository = copyOfBackups();
    await expect(backUp(data, repository)).rejects.toThrow(/is damaged .*so no backup was made/);
    expect(verifyBackups(repository)).toHaveLength(2);
    expect(readdirSync(repository)).not.toContain('work');
    await expect(backUp(template, template)).rejects.toThrow(/is not empty and has no backups/);
    await expect(backUp(join(trial, 'none'), repository)).rejects.toThrow(/has no mneme\.db/);
  });

  (isMountable ? it : it.skip)(
    'a full disk › no backup was made, earlier ones are whole; with space it succeeds',
    async () => {
      const repository = join(trial, 'small');
      mkdirSync(repository);
      const disk = mountDisk(repository, 16);
      try {
        const inside = join(repository, 'backups');
        await backUp(template, inside);
        const ballast = leaveFree(repository, 300_000);
        await expect(backUp(template, inside)).rejects.toThrow(
          /is full: no backup was made, earlier ones are unchanged/,
        );
        expect(verifyBackups(inside)).toMatchObject([{ number: 1 }]);
        expect(verifyBackups(inside)[0]?.problem).toBeUndefined();
        rmSync(ballast);
        expect((await backUp(template, inside)).manifest.number).toBe(2);
      } finally {
        disk.remove();
      }
    },
  );
});

describe('restore', () => {
  it('killed at each step › nothing or the whole, and the next run restores', () => {
    for (const step of ['begin', 'written', 'rewound', 'kept', 'renamed']) {
      for (const force of [false, true]) {
        const data = join(trial, `${step}-${force}`);
        if (force) cpSync(template, data, { recursive: true });
        const { signal } = child(`
          import { restoreBackup } from ${moduleOf('restore-backup')};
          restoreBackup({ repository: ${JSON.stringify(backups)}, folder: ${JSON.stringify(data)}, point: { number: 1 },
            force: ${force}, nowMs: ${NOW_MS}, term: 'killed',
            onStep: (step) => { if (step === ${JSON.stringify(step)}) process.kill(process.pid, 'SIGKILL'); } });`);
        expect([step, force, signal]).toEqual([step, force, 'SIGKILL']);
        const isRestored = step === 'renamed';
        expect([step, force, existsSync(join(data, 'mneme.db'))]).toEqual([step, force, force || isRestored]);
        if (force || isRestored) {
          const { soundCount, tables } = verifyFolder(data);
          expect([step, force, soundCount, tables]).toEqual([step, force, isRestored ? COUNT : COUNT + 1, []]);
        }
        const { keptFile } = restore(backups, data, { number: 1 }, force || isRestored);
        expect([step, force, keptFile !== '']).toEqual([step, force, force || isRestored]);
        expect(verifyFolder(data)).toMatchObject({ tables: [], memories: [], soundCount: COUNT });
        expect(readdirSync(data).filter((name) => name.includes('restoring'))).toEqual([]);
      }
    }
  }, 120_000);

  it('a folder that is not empty, or in use › refused; with --force the former database is kept', async () => {
    const data = join(trial, 'data');
    cpSync(template, data, { recursive: true });
    expect(() => restore(backups, data)).toThrow(/is not empty: .*--force/);
    const server = await startServer(data);
    expect(() => restore(backups, data, undefined, true)).toThrow(/is in use by another mneme/);
    await server.stop();
    const { keptFile } = restore(backups, data, { number: 1 }, true);
    expect(verifyFolder(data).soundCount).toBe(COUNT);
    const former = join(trial, 'former');
    mkdirSync(former);
    copyFileSync(keptFile, join(former, 'mneme.db'));
    expect(verifyFolder(former)).toMatchObject({ tables: [], soundCount: COUNT + 1 });
  });

  it('a write-ahead log whose database is lost › is kept aside, not applied to the restored one', async () => {
    const [running, data] = [join(trial, 'running'), join(trial, 'data')];
    cpSync(template, running, { recursive: true });
    await withServer(running, async (mneme) => {
      await mneme.batchStore(ids(COUNT, COUNT).map((id) => ({ id, text: `memory ${id} of the log` })));
      // As a killed server leaves it; by another process, as closing the files in this one would end locks of SQLite.
      expect(spawnSync('cp', ['-R', running, data]).status).toBe(0);
    });
    expect(statSync(join(data, 'mneme.db-wal')).size).toBeGreaterThan(0);
    renameSync(join(data, 'mneme.db'), join(trial, 'moved.db'));
    expect(restore(backups, data, { number: 1 }, true).keptFile).toBe('');
    expect(verifyFolder(data)).toMatchObject({ tables: [], memories: [], soundCount: COUNT });
    expect(readdirSync(data).some((name) => /^mneme-before-restore-.*\.db-wal$/.test(name))).toBe(true);
  });

  const rewritten = (change: (manifest: Manifest) => Manifest) => (repository: string) => {
    const file = join(repository, manifest(2));
    writeManifest(file, change(readManifest(file)));
  };
  it.each<[string, (repository: string) => void, RegExp]>([
    [
      'a pack cut short',
      (of) => truncateSync(join(of, pack(1)), Math.floor(statSync(join(of, pack(1))).size / 2)),
      /is damaged at byte/,
    ],
    ['a flipped byte', (of) => flip(join(of, pack(1))), /is damaged at byte/],
    ['a missing pack', (of) => rmSync(join(of, pack(1))), /00000001\.pack is missing/],
    ['a flipped byte of the manifest', (of) => flip(join(of, manifest(2))), /its checksum does not match/],
    ['a manifest cut short', (of) => truncateSync(join(of, manifest(2)), 500), /its checksum does not match/],
    ['a missing chunk', rewritten((made) => ({ ...made, chunks: made.chunks.slice(1) })), /do not make the database/],
    ...[SCHEMA_NUMBER - 1, SCHEMA_NUMBER + 1].map((schema): [string, (repository: string) => void, RegExp] => [
      `schema ${schema}`,
      rewritten((made) => ({ ...made, schema })),
      new RegExp(
        `^backup 2 \\(mneme \\S+\\) has schema ${schema}, and this version of mneme uses schema ${SCHEMA_NUMBER} only: restore it with that version$`,
      ),
    ]),
    [
      'another format',
      rewritten((made) => ({ ...made, format: 2 })),
      /has format 2, and this version of mneme reads format 1 only: use the version that wrote it$/,
    ],
    ['a newer repository', (of) => writeFileSync(join(of, 'mneme-backup.json'), '{"format":2}'), /has format 2/],
    ['no backup', (of) => rmSync(join(of, 'mneme-backup.json')), /has no backups/],
  ])('%s › refused with the reason, and the folder stays as it is', (_, damage, reason) => {
    const repository = copyOfBackups();
    damage(repository);
    const data = join(trial, 'data');
    cpSync(template, data, { recursive: true });
    const before = readFileSync(join(data, 'mneme.db'));
    expect(() => restore(repository, data, undefined, true)).toThrow(reason);
    expect(readFileSync(join(data, 'mneme.db')).equals(before)).toBe(true);
    expect(readdirSync(data).filter((name) => /restor/.test(name))).toEqual([]);
    expect(() => restore(repository, join(trial, 'new'))).toThrow(reason);
    expect(existsSync(join(trial, 'new', 'mneme.db'))).toBe(false);
  });

  it('any flipped bit of a pack › is found by verify, or changes nothing of what is restored', () => {
    const random = seededRandom('flipped bytes of a backup');
    const repository = copyOfBackups();
    const file = join(repository, pack(1));
    const whole = readFileSync(file);
    for (let round = 0; round < 40; round++) {
      const damaged = Buffer.from(whole);
      const at = random.int(damaged.byteLength);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.int(8));
      writeFileSync(file, damaged);
      const isFound = verifyBackups(repository).some(({ problem }) => problem);
      // A frame of Zstandard has bits without a meaning.
      if (!isFound) expect(restore(repository, join(trial, `unchanged-${round}`), { number: 1 }).keptFile).toBe('');
      else expect(() => restore(repository, join(trial, 'data'), { number: 1 })).toThrow(/is damaged at byte/);
    }
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.byteLength / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}
