import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let folder: string;
let data: string;
let backups: string;
let server: ServedMneme;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-backup-cli-'));
  data = join(folder, 'data');
  backups = join(folder, 'backups');
  server = await serveMneme({ data });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const client = (...args: string[]) => runMneme([...args, '--server', server.address]);

describe('mneme backup, mneme restore', () => {
  it('a running server › backup, list, verify, restore; exit code 0', async () => {
    expect(await client('store', 'the first memory', '--id', 'first')).toMatchObject({ code: 0 });
    const made = await runMneme(['backup', backups, '--data', data]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(/^backup 1 of .* is in .*: 1 memory at revision \d+, \d+ bytes new of \d+\n$/);

    for (const id of ['second', 'third']) {
      expect(await client('store', `the ${id} memory`, '--id', id)).toMatchObject({ code: 0 });
    }
    const next = await runMneme(['backup', backups, '--data', data, '--json']);
    expect(JSON.parse(next.stdout)).toMatchObject({
      number: 2,
      ok: true,
      memoryCount: 3,
      namespaces: [{ name: 'default', memoryCount: 3 }],
      removed: [],
    });
    const list = await runMneme(['backup', 'list', backups]);
    expect(list.stdout.split('\n').map((line) => line.slice(0, 3))).toEqual(['1  ', '2  ', '']);
    const verified = await runMneme(['backup', 'verify', backups, '--json']);
    expect([verified.code, verified.stdout.trim().split('\n').length]).toEqual([0, 2]);
    expect(await runMneme(['backup', 'verify', backups])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${backups} is whole: 2 backups\n`),
    });

    const restored = join(folder, 'restored');
    const done = await runMneme(['restore', backups, '--data', restored]);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toMatch(/restored has backup 2 of .*: 3 memories at revision \d+\n$/);
    const { revision } = JSON.parse(next.stdout) as { revision: number };
    const earlier = await runMneme([
      'restore',
      backups,
      '--data',
      restored,
      '--at',
      String(revision - 1),
      '--force',
      '--json',
    ]);
    expect(JSON.parse(earlier.stdout)).toMatchObject({ rewound: { revision: revision - 1, erasedCount: 1 } });
    expect(await runMneme(['verify', '--data', restored])).toMatchObject({
      code: 0,
      stdout: `${restored} is whole: 2 memories\n`,
    });

    const former = await runMneme(['restore', backups, '--data', join(folder, 'former'), '--at', '2020-01-01']);
    expect(former.stdout).toContain(': 1 memory and 1 namespace that came later erased, 0 as before\n');
  });

  it('a folder in use or not empty, no backup, wrong flags › one line and the exit code', async () => {
    const refused = async (code: number, reason: RegExp, ...args: string[]) => {
      const { stderr, ...ended } = await runMneme(args);
      expect([args, ended.code, stderr.split('\n').length]).toEqual([args, code, 2]);
      expect(stderr).toMatch(reason);
    };
    await refused(1, /^mneme: data folder .* is not empty: /, 'restore', backups, '--data', data);
    await refused(1, /is in use by another mneme/, 'restore', backups, '--data', data, '--force');
    await refused(1, /has no backups: /, 'backup', 'list', join(folder, 'none'));
    await refused(1, /has no backups: /, 'restore', join(folder, 'none'), '--data', join(folder, 'new'));
    await refused(1, /has no mneme\.db/, 'backup', backups, '--data', join(folder, 'none'));
    await refused(1, /is not empty and has no backups/, 'backup', data, '--data', data);
    const [empty, view] = [join(folder, 'empty'), join(folder, 'view')];
    for (const each of [empty, view]) mkdirSync(each);
    writeFileSync(join(empty, 'mneme-backup.json'), '{"format":1}');
    await refused(1, /empty has no backup: /, 'backup', 'verify', empty);
    writeFileSync(join(view, 'view.json'), '{"records":"postgres"}');
    const isView = /view is a view of PostgreSQL .*: .*PostgreSQL.*, or give another folder/;
    await refused(1, isView, 'backup', backups, '--data', view);
    await refused(1, isView, 'restore', backups, '--data', view, '--force');
    await refused(2, /a revision or a time/, 'restore', backups, '--at', 'nonsense', '--data', join(folder, 'new'));
    await refused(2, /exclude each other/, 'restore', backups, '--at', '1', '--backup', '1');
    await refused(2, /from 1 to 100000/, 'backup', backups, '--keep', '0');
  });
});
