import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { damagePage, pagesOf } from '../fault/damage/pages.ts';
import { startServer } from '../fault/damage/server.ts';
import { seededRandom } from '../support/random.ts';
import { runMneme } from './support/run-mneme.ts';

let folder: string;
let whole: string;
let damaged: string;
let broken: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-repair-cli-'));
  whole = join(folder, 'whole');
  damaged = join(folder, 'damaged');
  broken = join(folder, 'broken');
  const server = await startServer(whole);
  const mneme = server.mneme.withNamespace('space');
  await mneme.batchStore(Array.from({ length: 60 }, (_, n) => ({ id: `m${n}`, text: `memory number ${n}` })));
  await server.stop();
  cpSync(whole, damaged, { recursive: true });
  const page = pagesOf(whole).find(({ owner, kind }) => owner === 'memory' && kind === 'leaf');
  if (!page) throw new Error('the table has no leaf');
  damagePage(damaged, page, 'random', seededRandom('repair by command'));
  cpSync(damaged, broken, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('mneme verify, mneme repair', () => {
  it('a whole folder › whole, and unchanged; exit code 0', async () => {
    expect(await runMneme(['verify', '--data', whole])).toMatchObject({
      code: 0,
      stdout: `${whole} is whole: 60 memories\n`,
    });
    const repaired = await runMneme(['repair', '--data', whole, '--json']);
    expect([repaired.code, JSON.parse(repaired.stdout)]).toMatchObject([0, { wasWhole: true, lost: [], keptFile: '' }]);
  });

  it('a damaged page › lost memories are listed, exit code 1; repaired from a backup it is whole', async () => {
    const found = await runMneme(['verify', '--data', damaged]);
    expect([found.code, found.stderr]).toEqual([1, '']);
    expect(found.stdout).toMatch(/^damaged table {2}memory: /);
    expect(found.stdout).toContain('lost memory    namespaces/space/memories/m0\n');
    const copy = join(folder, 'copy');
    cpSync(damaged, copy, { recursive: true });

    const without = await runMneme(['repair', '--data', copy]);
    expect(without.code).toBe(1);
    expect(without.stdout).toContain('lost      namespaces/space/memories/m0\n');
    expect(await runMneme(['verify', '--data', copy])).toMatchObject({ code: 0 });

    const repaired = await runMneme(['repair', '--data', damaged, '--backup', whole]);
    expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining(' 0 lost; the damaged file is ')]);
    expect(await runMneme(['verify', '--data', damaged])).toMatchObject({
      code: 0,
      stdout: `${damaged} is whole: 60 memories\n`,
    });
  });

  it('--backup › takes a folder that mneme backup makes', async () => {
    const [backups, copy] = [join(folder, 'backups'), join(folder, 'second')];
    cpSync(broken, copy, { recursive: true });
    expect(await runMneme(['backup', backups, '--data', whole])).toMatchObject({ code: 0 });

    const repaired = await runMneme(['repair', '--data', copy, '--backup', backups]);
    expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining(' 0 lost; the damaged file is ')]);
  });

  it('no data folder › one line, exit code 1', async () => {
    for (const command of ['verify', 'repair']) {
      const { code, stderr } = await runMneme([command, '--data', join(folder, 'none')]);
      expect([code, stderr.split('\n').length]).toEqual([1, 2]);
      expect(stderr).toMatch(/^mneme: data folder .* (does not exist|has no mneme\.db)/);
    }
  });
});
