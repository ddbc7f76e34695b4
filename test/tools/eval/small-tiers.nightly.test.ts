import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Conversation } from '../../../tools/eval/question-set.ts';
import { cleanUp, onCleanUp } from '../../client/support/clean-up.ts';
import { runEval } from './support/run-eval.ts';

afterEach(cleanUp);

const MEMORIES = 260;
const WORDS = ['harbour', 'bicycle', 'soup', 'violin', 'glacier', 'lantern', 'orchard', 'saddle', 'thunder', 'velvet'];

/** Texts longer than any abstract, each with a name that its question asks for somewhere in the middle. */
function longTalk(): Conversation {
  const filler = (at: number) => WORDS.map((word, place) => `The ${word} of day ${(at * 7 + place) % 50} was quiet.`);
  const memories = Array.from({ length: MEMORIES }, (_, at) => ({
    id: `m${at}`,
    session: String(Math.floor(at / 20)),
    date_iso: '2024-03-01T10:00:00',
    speaker: at % 2 === 0 ? 'Ann' : 'Bob',
    text: [...filler(at), `Then Zed${at} came to the party.`, ...filler(at + 1), ...filler(at + 2)].join(' '),
  }));
  const questions = Array.from({ length: 26 }, (_, at) => ({
    id: `q${at}`,
    text: `When did Zed${at * 10} come?`,
    category: 'single-hop',
    evidence: [`m${at * 10}`],
  }));
  return { conversation_id: 'long', memories, questions };
}

describe('tools/eval.sh --small-tiers', () => {
  it('most memories in lower tiers › each is returned unchanged, and recall@10 is within one point', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-eval-tiers-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'set.json');
    await writeFile(file, JSON.stringify([longTalk()]));
    const report = async (flags: readonly string[]) => {
      const { code, stdout, stderr } = await runEval([file, '--json', ...flags]);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as { tiers?: object; scores: { all: Record<string, number> } };
    };
    const [small, single] = [await report(['--small-tiers']), await report([])];
    expect(small.tiers).toEqual({ short_term: 50, intermediate: 150, long_term: MEMORIES - 200 });
    expect(single.tiers).toBeUndefined();
    const atTen = (scores: Record<string, number>) => scores['recall@10'] ?? 0;
    expect(atTen(small.scores.all)).toBeGreaterThanOrEqual(atTen(single.scores.all) - 1);
  }, 240_000);
});
