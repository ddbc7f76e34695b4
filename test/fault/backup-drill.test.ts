import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { sized } from '../support/all-tests.ts';
import { seededRandom } from '../support/random.ts';

/** The restore drill: load, back up while writers run, kill the server, restore, compare. */
const LOADED = 300;
const WRITERS = 4;
const ROUNDS = sized({ sample: 1, nightly: 3 });
const WORDS = ['harbour', 'cello', 'invoice', 'storm', 'garden', 'letter', 'lamp', 'bicycle', 'market', 'train'];
const QUESTIONS = 12;

/** A write as its answer acknowledged it. */
interface Acknowledged {
  readonly id: string;
  readonly text: string;
  readonly revision: number;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-drill-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = seededRandom('restore drill');
const sentence = () => Array.from({ length: 6 }, () => random.pick(WORDS)).join(' ');
const serve = (data: string) => startMneme({ data, flags: ['--ranker', 'fusion'], isQuiet: true });

/** Writes until it is stopped or the server is killed; `acknowledged` has each write that was answered. */
async function writeOn(mneme: Mneme, writer: number, acknowledged: Acknowledged[], isStopped: () => boolean) {
  for (let n = 0; !isStopped(); n++) {
    const [id, text] = [`w${writer}-${acknowledged.length}-${n}`, sentence()];
    try {
      const { revision } = await mneme.store({ id, text });
      acknowledged.push({ id, text, revision });
    } catch {
      return;
    }
  }
}

/** Ids of the hits of some recalls; recency does not count. */
async function recalls(mneme: Mneme): Promise<string[][]> {
  const answers: string[][] = [];
  for (let n = 0; n < QUESTIONS; n++) {
    const text = `${WORDS[n % WORDS.length]} ${WORDS[(n * 3 + 1) % WORDS.length]}`;
    const { hits } = await mneme.recall({ text, limit: 20, weights: { recency: 0 }, minRelevance: 0 });
    answers.push(hits.map(({ memory }) => memory.id));
  }
  return answers;
}

describe('restore drill', () => {
  it('a server killed after backups under load › restored, it has every write acknowledged before, and recalls alike', async () => {
    const [data, backups] = [join(folder, 'data'), join(folder, 'backups')];
    const acknowledged: Acknowledged[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const server = await serve(data);
      const mneme = connect(server.address, { ...PATIENT, retry: false });
      if (round === 0) await load(mneme, acknowledged);
      const before = acknowledged.length;
      const { revision, memoryCount } = await backUpUnderLoad(mneme, server, { data, backups, acknowledged });
      await mneme.close();
      const at = `round ${round} of seed ${random.seed}`;
      expect([at, memoryCount >= before]).toEqual([at, true]);
      const expected = acknowledged.filter((write) => write.revision <= revision);
      expect([at, expected.length >= before]).toEqual([at, true]);
      const { texts } = await contentsOf(await restored(backups, `restored-${round}`));
      expect([at, expected.filter(({ id, text }) => texts.get(id) !== text)]).toEqual([at, []]);
    }
    // Without writers the killed server and the restored one have the same state.
    const server = await serve(data);
    expect(await runMneme(['backup', backups, '--data', data])).toMatchObject({ code: 0 });
    const expected = await contentsOf({ server, signal: 'SIGKILL' });
    expect(await contentsOf(await restored(backups, 'restored-at-rest'))).toEqual(expected);
    expect(await runMneme(['backup', 'verify', backups])).toMatchObject({ code: 0 });
  }, 300_000);

  async function restored(backups: string, name: string): Promise<{ server: RunningMneme }> {
    const data = join(folder, name);
    const done = await runMneme(['restore', backups, '--data', data]);
    expect([name, done.code, done.stderr]).toEqual([name, 0, '']);
    expect(await runMneme(['verify', '--data', data])).toMatchObject({ code: 0 });
    return { server: await serve(data) };
  }

  /** Texts by id, and answers of recalls; the server is stopped afterwards. */
  async function contentsOf({ server, signal }: { server: RunningMneme; signal?: NodeJS.Signals }) {
    const mneme = connect(server.address, PATIENT);
    const texts = new Map<string, string>();
    for await (const { id, text } of mneme.list()) texts.set(id, text);
    const answers = await recalls(mneme);
    await mneme.close();
    await server.stop(signal);
    return { texts, answers };
  }

  async function load(mneme: Mneme, acknowledged: Acknowledged[]): Promise<void> {
    const memories = Array.from({ length: LOADED }, (_, n) => ({ id: `m${n}`, text: sentence() }));
    const receipts = await mneme.batchStore(memories);
    const texts = new Map(memories.map(({ id, text }) => [id, text]));
    for (const { id, revision } of receipts) acknowledged.push({ id, text: texts.get(id) ?? '', revision });
  }

  /** Returns what the backup says of itself; the server is killed while writers still run. */
  async function backUpUnderLoad(
    mneme: Mneme,
    server: RunningMneme,
    { data, backups, acknowledged }: { data: string; backups: string; acknowledged: Acknowledged[] },
  ): Promise<{ revision: number; memoryCount: number }> {
    let isStopped = false;
    const writers = Array.from({ length: WRITERS }, (_, n) => writeOn(mneme, n, acknowledged, () => isStopped));
    const made = await runMneme(['backup', backups, '--data', data, '--keep', '2', '--json']);
    await server.stop('SIGKILL');
    isStopped = true;
    await Promise.all(writers);
    expect([made.code, made.stderr]).toEqual([0, '']);
    return JSON.parse(made.stdout) as { revision: number; memoryCount: number };
  }
});
