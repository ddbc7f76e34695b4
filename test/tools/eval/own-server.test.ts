import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVAL, runEval } from './support/run-eval.ts';
import { syntheticSet } from './support/synthetic-set.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-eval-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('tools/eval.sh with a temporary server', () => {
  it('a set › is stored and queried, and server and folder are removed afterwards', async () => {
    const temporary = join(folder, 'tmp');
    await mkdir(temporary);
    const set = join(folder, 'set.json');
    await writeFile(set, JSON.stringify(syntheticSet()));

    const { code, stdout, stderr } = await runEval([set, '--pooled', '--json'], {
      env: { TMPDIR: temporary },
    });

    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ memoryCount: 160, questionCount: 60, scores: { all: { count: 60 } } });
    expect(await readdir(temporary)).toEqual([]);
  });

  it('when interrupted › exits with 130 and leaves no files', async () => {
    const temporary = join(folder, 'interrupted');
    await mkdir(temporary);
    const set = join(folder, 'large.json');
    const [part] = syntheticSet();
    await writeFile(set, JSON.stringify(Array.from({ length: 200 }, () => part)));
    const child = spawn(EVAL, [set], { env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' });
    const closed = once(child, 'close');
    while ((await readdir(temporary)).length === 0) await new Promise((resolve) => setImmediate(resolve));

    child.kill('SIGINT');

    expect((await closed)[0]).toBe(130);
    expect(await readdir(temporary)).toEqual([]);
  });
});
