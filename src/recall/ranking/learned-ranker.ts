import type { NamespaceColumns } from '../namespace-columns.ts';
import type { NamespaceTexts } from '../namespace-texts.ts';
import type { Adjustment } from '../reading/adjust.ts';
import { FEATURES } from './features.ts';
import type { SignalGatherer } from './gather.ts';
import { Meant } from './meant.ts';
import type { Asked } from './question.ts';
import { type Judged, relevanceRows } from './relevance-features.ts';
import type { RelevanceModel } from './relevance-model.ts';
import { ALL_MIN, putSaidFirst } from './said-first.ts';
import type { SignalReader } from './signal-reader.ts';
import type { Signals } from './signals.ts';
import { type TreeModel, TreeModelError } from './tree-model.ts';
import { explainScore, TreeScorer } from './tree-scores.ts';

export interface LearnedHit {
  readonly sequence: number;
  /** Slot of the passage that stands for a long text; -1 for a text that is whole. */
  readonly slot: number;
  /** Comparable within one question only. */
  readonly score: number;
  /** Probability that it answers the question: comparable between questions. */
  readonly relevance: number;
  /** Row `at` of these is what score and relevance were told from, where there is a sentence encoder. */
  readonly judged?: Float32Array | undefined;
  /** Memories of the namespace. */
  readonly size: number;
  /** What the features were, for `explain`: row `at` of `rows`. */
  readonly rows: Float32Array;
  readonly at: number;
  /** By how much `putSaidFirst` moved it: 0, or less. */
  readonly moved: number;
  /** It is one question and nothing else, and not one that `putSaidFirst` has placed behind its answer. */
  readonly isOpenQuestion: boolean;
  /** What was added to the ranker's score for what the question says beyond its words. */
  readonly adjustment?: Adjustment;
}

type Matched = Pick<Judged, 'coverage' | 'exactShare' | 'covered' | 'missed'>;

/** Feature that decides with `putSaidFirst`, and that the explanation charges with what it does. */
const SAID = 'exact share';

export interface FeatureContribution {
  readonly name: string;
  readonly value: number;
  readonly contribution: number;
}

/** Puts the candidates of every lane in order by what was learned. One instance serves one thread. */
export class LearnedRanker {
  private readonly model: TreeModel;
  private readonly scorer: TreeScorer;
  private readonly gatherer: SignalGatherer;
  private readonly relevance: RelevanceModel;
  private readonly features: readonly ((signals: Signals) => number)[];
  private readonly said: number;
  private readonly queryTokens: number;
  private readonly meaning: number;

  /** Throws TreeModelError for a model with a feature that this server does not know. */
  constructor(model: TreeModel, gatherer: SignalGatherer, relevance: RelevanceModel) {
    this.gatherer = gatherer;
    this.relevance = relevance;
    const known = new Map(FEATURES.map((feature) => [feature.name, feature.of]));
    // Those that no tree asks for yet are told too, so that the next model can be learned with them.
    this.model = { ...model, features: [...new Set([...model.features, ...known.keys()])] };
    this.scorer = new TreeScorer(this.model);
    this.features = this.model.features.map((name) => {
      const of = known.get(name);
      if (!of) throw new TreeModelError(`${model.name}: no feature "${name}"`);
      return of;
    });
    this.said = this.model.features.indexOf(SAID);
    this.queryTokens = this.model.features.indexOf('query tokens');
    this.meaning = this.model.features.indexOf('meaning');
  }

  /** Best first; equal scores newest first, then by sequence. `isWhole` is false where vectors were missing. */
  rank(asked: Asked, memories: NamespaceTexts, columns: NamespaceColumns): { hits: LearnedHit[]; isWhole: boolean } {
    const meant = memories.meanings && new Meant(asked, memories.meanings);
    const { sequences, reader, texts, unsaid } = this.gatherer.gather(asked, memories, columns, meant);
    const isWhole = meant?.isWhole ?? true;
    const { rows, matches } = this.rowsOf(reader, sequences.length);
    const scores = this.scored(rows, sequences, asked, meant);
    const { width, said } = this;
    const asks = sequences.map((sequence) => texts.isQuestion(sequence));
    const moved = putSaidFirst(scores, (row) => ({
      share: rows[row * width + said] ?? 0,
      hasAny: (asked.keyword.values[sequences[row] ?? 0] ?? 0) > 0,
      asks: asks[row] ?? false,
    }));
    const saysAll = (row: number): boolean => (rows[row * width + said] ?? 0) >= ALL_MIN;
    const isAnswered = sequences.some((_, row) => saysAll(row) && !asks[row]);
    const all = sequences.map((sequence, at) => ({ sequence, score: scores[at] ?? 0 }));
    const judged = all.map((one, at) => ({
      ...one,
      cosine: rows[at * width + this.meaning] ?? 0,
      ...(matches[at] as Matched),
    }));
    const cue = meant && { asked, texts, columns, queryTokens: rows[this.queryTokens] ?? 0, unsaid };
    const told = cue && relevanceRows(judged, cue);
    const judgement = told && this.relevance.judge(told, columns.size);
    const hits = sequences.map((sequence, at): LearnedHit => {
      const score = judgement?.scores[at] ?? scores[at] ?? 0;
      const relevance = judgement?.relevances[at] ?? 1 / (1 + Math.exp(-score));
      const found = { sequence, slot: texts.slotOf(sequence), score, relevance, judged: told, size: columns.size };
      const isOpenQuestion = asks[at] === true && !(isAnswered && saysAll(at));
      return { ...found, rows, at, moved: moved[at] ?? 0, isOpenQuestion };
    });
    hits.sort(
      (a, b) =>
        b.score - a.score || columns.eventAtUs(b.sequence) - columns.eventAtUs(a.sequence) || a.sequence - b.sequence,
    );
    return { hits, isWhole };
  }

  /** All features, heaviest first; with `base` the contributions add up to the score without its adjustment. */
  explain(hit: LearnedHit): { base: number; contributions: FeatureContribution[] } {
    const { width, said } = this;
    const row = hit.rows.subarray(hit.at * width, (hit.at + 1) * width);
    const { base, contributions } = explainScore(this.model, row);
    const judged = hit.judged && this.relevance.partsOf(hit.judged, hit.at, hit.size);
    const share = judged?.treesShare ?? 1;
    const all = this.model.features.map((name, at): FeatureContribution => {
      const contribution = share * ((contributions[at] ?? 0) + (at === said ? hit.moved : 0));
      return { name, value: row[at] ?? 0, contribution };
    });
    for (const part of judged?.parts ?? []) all.push({ ...part, name: `relevance ${part.name}` });
    return {
      base: share * base + (judged?.base ?? 0),
      contributions: all.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)),
    };
  }

  /** Scores of the trees. Vectors that are missing of what comes first without them are made, and then it is scored again. */
  private scored(rows: Float32Array, sequences: readonly number[], { limit }: Asked, meant?: Meant): Float64Array {
    const scores = this.scorer.scores(rows, limit);
    if (!meant || meant.isWhole) return scores;
    const places = Array.from(sequences, (_, at) => at).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
    const made = new Set(meant.makeBest(places.map((at) => sequences[at] as number)));
    if (made.size === 0) return scores;
    for (const [at, sequence] of sequences.entries()) {
      if (made.has(sequence)) rows[at * this.width + this.meaning] = meant.cosine(sequence);
    }
    return this.scorer.scores(rows, limit);
  }

  private get width(): number {
    return this.features.length;
  }

  /** Row by row, in the model's order of features. */
  private rowsOf(reader: SignalReader, count: number): { rows: Float32Array; matches: readonly Matched[] } {
    const { features, width } = this;
    const matches: Matched[] = [];
    const rows = new Float32Array(count * width);
    for (let row = 0; row < count; row++) {
      const signals = reader.read(row);
      const { exactShare, covered, missed } = signals.match;
      matches.push({ coverage: signals.maxSim.own, exactShare, covered, missed });
      for (let at = 0; at < width; at++) rows[row * width + at] = features[at]?.(signals) ?? 0;
    }
    return { rows, matches };
  }
}
