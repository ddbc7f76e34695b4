import type { NamespaceColumns } from '../namespace-columns.ts';
import type { NamespaceTexts } from '../namespace-texts.ts';
import type { Adjustment } from '../reading/adjust.ts';
import { FEATURES } from './features.ts';
import type { SignalGatherer } from './gather.ts';
import type { Asked } from './question.ts';
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
  private readonly features: readonly ((signals: Signals) => number)[];
  private readonly said: number;

  /** Throws TreeModelError for a model with a feature that this server does not know. */
  constructor(model: TreeModel, gatherer: SignalGatherer) {
    this.gatherer = gatherer;
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
  }

  /** Best first; equal scores newest first, then by sequence. */
  rank(asked: Asked, memories: NamespaceTexts, columns: NamespaceColumns): LearnedHit[] {
    const { sequences, reader, texts } = this.gatherer.gather(asked, memories, columns);
    const rows = this.rowsOf(reader, sequences.length);
    const scores = this.scorer.scores(rows, asked.limit);
    const { width, said } = this;
    const asks = sequences.map((sequence) => texts.rankedOf(sequence).isQuestion(texts.placeOf(sequence)));
    const moved = putSaidFirst(scores, (row) => ({
      share: rows[row * width + said] ?? 0,
      hasAny: (asked.keyword.values[sequences[row] ?? 0] ?? 0) > 0,
      asks: asks[row] ?? false,
    }));
    const saysAll = (row: number): boolean => (rows[row * width + said] ?? 0) >= ALL_MIN;
    const isAnswered = sequences.some((_, row) => saysAll(row) && !asks[row]);
    const hits = sequences.map((sequence, at): LearnedHit => {
      const isOpenQuestion = asks[at] === true && !(isAnswered && saysAll(at));
      return {
        sequence,
        slot: texts.slotOf(sequence),
        score: scores[at] ?? 0,
        rows,
        at,
        moved: moved[at] ?? 0,
        isOpenQuestion,
      };
    });
    return hits.sort(
      (a, b) =>
        b.score - a.score || columns.eventAtUs(b.sequence) - columns.eventAtUs(a.sequence) || a.sequence - b.sequence,
    );
  }

  /** All features, heaviest first; with `base` the contributions add up to the score without its adjustment. */
  explain(hit: LearnedHit): { base: number; contributions: FeatureContribution[] } {
    const { width, said } = this;
    const row = hit.rows.subarray(hit.at * width, (hit.at + 1) * width);
    const { base, contributions } = explainScore(this.model, row);
    const all = this.model.features.map((name, at): FeatureContribution => {
      const contribution = (contributions[at] ?? 0) + (at === said ? hit.moved : 0);
      return { name, value: row[at] ?? 0, contribution };
    });
    return { base, contributions: all.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)) };
  }

  private get width(): number {
    return this.features.length;
  }

  /** Row by row, in the model's order of features. */
  private rowsOf(reader: SignalReader, count: number): Float32Array {
    const { features, width } = this;
    const rows = new Float32Array(count * width);
    for (let row = 0; row < count; row++) {
      const signals = reader.read(row);
      for (let at = 0; at < width; at++) rows[row * width + at] = features[at]?.(signals) ?? 0;
    }
    return rows;
  }
}
