import { readFileSync } from 'node:fs';
import { MaxSim } from '../../../src/search/embedding/static/max-sim.ts';
import { PooledVector } from '../../../src/search/embedding/static/pooled-vector.ts';
import { readTokenTable } from '../../../src/search/embedding/static/token-table.ts';
import { WordPiece } from '../../../src/search/embedding/static/word-piece.ts';
import { readTreeModel, TreeScorer } from '../../../src/search/ranking/tree-model.ts';
import { seededRandom } from '../../support/random.ts';
import type { Bench, Group } from '../bench.ts';
import { atMost } from '../report/row.ts';
import { measured } from './bare-search.ts';

const MODEL = new URL('../../../assets/ranker-v3.json', import.meta.url);
/** Rows as the server made them of real questions. */
const ROWS = new URL('../../fixtures/ranker-v3-predictions.json', import.meta.url);
const TEXTS = 10_000;
const CHARACTERS = 200;
const QUESTIONS = 3000;
const CANDIDATES = 400;
const POOLED_MAX_US = 50;
const TREES_MAX_US = 1500;

/** The cost of a text and of a question alone, in this process: the token table, and the trees of the ranker. */
export const staticTextGroup: Group = {
  parts: ['static'],
  async run(bench) {
    const table = await readTokenTable();
    const tokenizer = new WordPiece(table);
    const pooled = new PooledVector(table, tokenizer);
    const vocabulary = table.readVocabulary().filter((token) => /^[a-z]+$/.test(token));
    const texts = madeOf(vocabulary);
    const half = texts.length / 2;
    measured(texts.slice(0, half), (text) => pooled.ofText(text));
    // Each text is new: tokenizers cache earlier ones.
    const vectors = measured(texts.slice(half), (text) => pooled.ofText(text));
    const wanted = atMost(vectors.p50Us, POOLED_MAX_US, 'p50 µs');
    bench.add({ part: 'static', what: `pooled vector of ${CHARACTERS} characters`, subject: vectors, wanted });

    const tokens = texts.map((text) => tokenizer.encode(text));
    const memories = tokens.slice(0, CANDIDATES).map((ids) => ids.slice(0, 30));
    const questions = tokens
      .slice(CANDIDATES, CANDIDATES + QUESTIONS)
      .map((ids) => ({ tokens: ids.slice(0, 6), weights: [1, 2, 3, 4, 5, 6] }));
    const maxSim = new MaxSim(table, tokenizer.unknown);
    measured(questions, (question) => maxSim.scores(question, memories));
    const matched = measured(questions, (question) => maxSim.scores(question, memories));
    bench.add({ part: 'static', what: `MaxSim of ${CANDIDATES} memories of 30 tokens, 6 asked`, subject: matched });
    trees(bench);
  },
};

function trees(bench: Bench): void {
  const scorer = new TreeScorer(readTreeModel(JSON.parse(readFileSync(MODEL, 'utf8'))));
  const { rows } = JSON.parse(readFileSync(ROWS, 'utf8')) as { readonly rows: readonly (readonly number[])[] };
  const matrix = Float32Array.from(Array.from({ length: CANDIDATES }, (_, at) => rows[at % rows.length] ?? []).flat());
  const runs = Array.from({ length: QUESTIONS }, () => matrix);
  measured(runs, (candidates) => scorer.scores(candidates, 10));
  const subject = measured(runs, (candidates) => scorer.scores(candidates, 10));
  const wanted = atMost(subject.p50Us, TREES_MAX_US, 'p50 µs');
  bench.add({ part: 'static', what: `trees of the ranker over ${CANDIDATES} candidates`, subject, wanted });
}

/** Words by Zipf's law, with a comma here and there. */
function madeOf(vocabulary: readonly string[]): string[] {
  const random = seededRandom('bench words', '1');
  return Array.from({ length: TEXTS }, () => {
    let text = '';
    while (text.length < CHARACTERS) {
      const rank = Math.floor(vocabulary.length ** random.next());
      text += `${vocabulary[rank] ?? 'a'}${random.chance(0.1) ? ', ' : ' '}`;
    }
    return text.slice(0, CHARACTERS);
  });
}
