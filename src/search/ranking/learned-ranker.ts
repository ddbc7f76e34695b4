import { isForeign } from '../../memory/languages/languages.ts';
import { UNKNOWN_RELEVANCE } from '../../memory/recall-settings.ts';
import type { Adjustment } from '../reading/adjust.ts';
import { byBothRanks, isRemark } from '../reading/remark.ts';
import { sentenceAbout } from '../reading/sentence-about.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import type { NamespaceTexts } from '../recall/namespace-texts.ts';
import type { AskedTexts } from './asked-texts.ts';
import type { SignalGatherer } from './gather.ts';
import { Meant } from './meanings.ts';
import type { Asked } from './question.ts';
import {
  ASKS,
  IS_LIST,
  NAMES_SOMETHING,
  REACTS,
  SPEAKS_OF_SELF,
  SPEAKS_TO_OTHER,
  TELLS_NUMBER,
  TELLS_TIME,
} from './ranked-memories.ts';
import { type Judged, relevanceRows, type Unsaid } from './relevance-features.ts';
import type { CueKind, RelevanceModel } from './relevance-model.ts';
import type { Around, SignalReader, Signals } from './signals.ts';
import { explainScore, type TreeModel, TreeModelError, TreeScorer } from './tree-model.ts';

export interface LearnedHit {
  readonly sequence: number;
  /** Slot of the passage that represents a long text; -1 for a text that is whole. */
  readonly slot: number;
  /** Comparable within one question only. */
  readonly score: number;
  /** Probability that it answers the question: comparable between questions. */
  readonly relevance: number;
  /** Its row `at` is the input of score and relevance, where there is a sentence encoder. */
  readonly judged?: Float32Array;
  /** Memories of the namespace. */
  readonly size: number;
  readonly kind?: CueKind;
  /** The features, for `explain`: row `at` of `rows`. */
  readonly rows: Float32Array;
  readonly at: number;
  /** By how much `putSaidFirst` moved it: 0, or less. */
  readonly moved: number;
  /** By how much its rank by meaning moved it, where the cue is a remark. */
  readonly movedByMeaning?: number;
  /** The whole text is one question, and `putSaidFirst` has not placed it behind its answer. */
  readonly isOpenQuestion: boolean;
  /** Adjustment of the ranker's score for parts of the question other than its words. */
  readonly adjustment?: Adjustment;
}

type Matched = Pick<Judged, 'coverage' | 'exactShare' | 'covered' | 'missed'>;

/**
 * A longer question states something as well: "I'm planning a Flask app with a login and charts of my expenses, which
 * libraries should I use?"
 */
const QUESTION_TOKENS_MAX = 24;

/** Feature on which `putSaidFirst` decides, and to which the explanation attributes its effect. */
const SAID = 'exact share';

export interface FeatureContribution {
  readonly name: string;
  readonly value: number;
  readonly contribution: number;
}

/** Orders the candidates of every lane with the learned model. One instance serves one thread. */
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
    // Features that no tree uses yet are included, so that the next model can be trained with them.
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
    const unsaid = this.gatherer.unsaidOf(asked, memories);
    const lacksWords = this.relevance.goesByMeaning(unsaid.words);
    const scope = { count: asked.among?.length ?? columns.size, lacksWords };
    const meant = memories.meanings && Meant.of(asked, memories.meanings, scope);
    const { sequences, reader, texts } = this.gatherer.gather(asked, memories, columns, meant);
    const isWhole = meant?.isWhole ?? true;
    const { rows, matches } = this.rowsOf(reader, sequences.length);
    const scores = this.scored(
      rows,
      sequences,
      asked,
      meant && { meant, passageOf: passagesIn(asked, memories, texts) },
    );
    const { width, said } = this;
    const asks = sequences.map((sequence) => texts.isQuestion(sequence));
    const moved = putSaidFirst(scores, (row) => ({
      share: rows[row * width + said] ?? 0,
      hasAny: (asked.keyword.values[sequences[row] ?? 0] ?? 0) > 0,
      asks: asks[row] ?? false,
    }));
    const saysAll = (row: number): boolean => (rows[row * width + said] ?? 0) >= ALL_MIN;
    const isShortQuestion = (row: number): boolean =>
      asks[row] === true && texts.tokensOf(sequences[row] as number).length <= QUESTION_TOKENS_MAX;
    const isAnswered = sequences.some((_, row) => saysAll(row) && !asks[row]);
    const judged = sequences.map((sequence, at): Judged => {
      const { coverage, exactShare, covered, missed } = matches[at] as Matched;
      const cosine = rows[at * width + this.meaning] ?? 0;
      return { sequence, score: scores[at] ?? 0, cosine, coverage, exactShare, covered, missed };
    });
    const cue = meant && { asked, texts, columns, queryTokens: rows[this.queryTokens] ?? 0, unsaid };
    const features = cue && relevanceRows(judged, cue);
    const kind = isRemark(asked.text)
      ? 'remark'
      : lacksWords && isOutsideEnglish(asked, judged)
        ? 'foreign'
        : 'english';
    const judgement = features && this.relevance.judge(features, columns.size, kind);
    const ordered = judgement?.scores ?? scores;
    const isFused = judgement !== undefined && kind === 'remark';
    const fused = isFused
      ? byBothRanks(
          ordered,
          judged.map(({ cosine }) => cosine),
        )
      : ordered;
    const relevances = judgement?.relevances ?? wordRelevances(sequences, asked, unsaid);
    const hits = sequences.map((sequence, at): LearnedHit => {
      return {
        sequence,
        slot: texts.slotOf(sequence),
        score: fused[at] ?? 0,
        relevance: relevances[at] ?? 0,
        judged: features,
        size: columns.size,
        kind,
        rows,
        at,
        moved: moved[at] ?? 0,
        movedByMeaning: (fused[at] ?? 0) - (ordered[at] ?? 0),
        isOpenQuestion: isShortQuestion(at) && !(isAnswered && saysAll(at)),
      };
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
    const judged = hit.judged && this.relevance.partsOf(hit.judged, hit.at, hit.size, hit.kind ?? 'english');
    const share = judged?.treesShare ?? 1;
    const all = this.model.features.map((name, at): FeatureContribution => {
      const contribution = share * ((contributions[at] ?? 0) + (at === said ? hit.moved : 0));
      return { name, value: row[at] ?? 0, contribution };
    });
    for (const part of judged?.parts ?? []) all.push({ ...part, name: `relevance ${part.name}` });
    const { movedByMeaning = 0 } = hit;
    if (movedByMeaning !== 0) all.push({ name: 'rank by meaning', value: 0, contribution: movedByMeaning });
    return {
      base: share * base + (judged?.base ?? 0),
      contributions: all.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)),
    };
  }

  /**
   * Scores of the trees. Computes missing vectors of the best candidates, and of the sentences of long ones that say most of
   * the question, then scores again.
   */
  private scored(
    rows: Float32Array,
    sequences: readonly number[],
    { text, limit }: Asked,
    near?: { readonly meant: Meant; readonly passageOf: (sequence: number) => string | undefined },
  ): Float64Array {
    const scores = this.scorer.scores(rows, limit);
    if (!near) return scores;
    const { meant, passageOf } = near;
    const places = Array.from(sequences, (_, at) => at).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
    const best = places.map((at) => sequences[at] as number);
    const cosines = new Map<number, number>();
    if (!meant.isWhole) for (const sequence of meant.makeBest(best)) cosines.set(sequence, meant.cosine(sequence));
    for (const sequence of best.slice(0, PASSAGES_READ)) {
      const sentence = sentenceAbout(text, passageOf(sequence) ?? '');
      const cosine = sentence === undefined ? 0 : meant.cosineOf(sentence);
      if (cosine > (cosines.get(sequence) ?? meant.cosine(sequence))) cosines.set(sequence, cosine);
    }
    if (cosines.size === 0) return scores;
    for (const [at, sequence] of sequences.entries()) {
      const cosine = cosines.get(sequence);
      if (cosine !== undefined) rows[at * this.width + this.meaning] = cosine;
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

/** Best candidates of whose passages a sentence is read: some ms each, where texts are long. */
const PASSAGES_READ = 3;

/** The passages that represent long texts. */
function passagesIn(
  { textOf }: Asked,
  { passages }: NamespaceTexts,
  texts: AskedTexts,
): (sequence: number) => string | undefined {
  return (sequence) => {
    const slot = texts.slotOf(sequence);
    if (slot < 0) return undefined;
    const { from, end } = passages.spanOf(slot);
    return textOf?.(sequence).slice(from, end);
  };
}

/** Nearest memories whose texts show the language of the memories. */
const NEAREST_READ = 5;

/** The question, or most of the nearest memories, are in another language than English. */
function isOutsideEnglish({ text, textOf = () => '' }: Asked, judged: readonly Judged[]): boolean {
  if (isForeign(text)) return true;
  const nearest = judged.toSorted((a, b) => b.cosine - a.cosine).slice(0, NEAREST_READ);
  return 2 * nearest.filter(({ sequence }) => isForeign(textOf(sequence))).length > nearest.length;
}

/** Relevance by keywords and by the share of the question's words that the namespace has; at most that of the unknown. */
function wordRelevances(sequences: readonly number[], { keyword }: Asked, unsaid: Unsaid): Float64Array {
  const values = Float64Array.from(sequences, (sequence) => keyword.values[sequence] ?? 0);
  const best = values.reduce((most, value) => Math.max(most, value), 0) || 1;
  return values.map((value) => (UNKNOWN_RELEVANCE * (1 - unsaid.words) ** 2 * value) / best);
}

/** Which of the question's words a candidate contains itself. */
export interface OwnWords {
  /** Share of the question's weight whose very tokens it has. */
  readonly share: number;
  /** It has a word of the question, or another form of one. */
  readonly hasAny: boolean;
  /** The whole text is a question. */
  readonly asks: boolean;
}

/** From here on a share is all of the question's words: shares are sums of 32-bit numbers. */
const ALL_MIN = 0.999;
/**
 * Gap between a score and the best of the scores placed below it. A text without any of the words cannot close it by
 * recency and importance at their default weights; a question is a near tie, which weeks between the two may reverse.
 */
const SILENT_GAP = 1.01;
const ASKING_GAP = 0.25;
/** Gap between consecutive moved rows. */
const STEP = 0.01;

/**
 * Moves texts with none of the question's words behind every text that has all of them, in place, and returns the
 * change of each score. In the learned order neighbouring memories support each other: in a session of a few turns all
 * do, and a query of two words contributes hardly more than that support. Whole questions are seldom repeated word for
 * word, so their order does not change. Moved texts keep their order.
 *
 * A question that repeats all of the words is no answer: it is placed directly behind the best statement.
 */
export function putSaidFirst(scores: Float64Array, own: (row: number) => OwnWords): Float64Array {
  const moved = new Float64Array(scores.length);
  const saying: number[] = [];
  const asking: number[] = [];
  const silent: number[] = [];
  for (let row = 0; row < scores.length; row++) {
    const { share, hasAny, asks } = own(row);
    if (share >= ALL_MIN) (asks ? asking : saying).push(row);
    else if (share === 0 && !hasAny) silent.push(row);
  }
  const scoresOf = (rows: readonly number[]) => rows.map((row) => scores[row] as number);
  if (saying.length > 0) lowerUnder(scores, moved, asking, Math.max(...scoresOf(saying)) - ASKING_GAP);
  const all = [...saying, ...asking];
  if (all.length > 0) lowerUnder(scores, moved, silent, Math.min(...scoresOf(all)) - SILENT_GAP);
  return moved;
}

/** Lowers rows to descending scores from the ceiling, in their order; rows already below it stay. */
function lowerUnder(scores: Float64Array, moved: Float64Array, rows: number[], ceiling: number): void {
  rows.sort((a, b) => (scores[b] as number) - (scores[a] as number));
  let next = ceiling;
  for (const row of rows) {
    const score = scores[row] as number;
    if (score <= next) {
      next = score;
    } else {
      scores[row] = next;
      moved[row] = next - score;
    }
    next -= STEP;
  }
}

export interface Feature {
  readonly name: string;
  of(signals: Signals): number;
}

function ofBest(value: number, { best }: { readonly best: number }): number {
  return best > 0 ? value / best : 0;
}

function standardized({ own, mean, deviation }: Pick<Around, 'own' | 'mean' | 'deviation'>): number {
  return deviation > 0 ? (own - mean) / deviation : 0;
}

function has(traits: number, bit: number): number {
  return (traits & bit) === 0 ? 0 : 1;
}

const PLACE_NAMES = { own: '', previous: ' previous', next: ' next', session: ' session' } as const;

function shares(lane: 'keyword' | 'maxSim' | 'window', places: readonly (keyof typeof PLACE_NAMES)[]): Feature[] {
  return places.map((place) => ({
    name: `${lane} share${PLACE_NAMES[place]}`,
    of: (s) => ofBest(s[lane][place], s[lane]),
  }));
}

export const FEATURES: readonly Feature[] = [
  ...shares('keyword', ['previous', 'next', 'session']),
  { name: 'context share', of: (s) => ofBest(s.context.own, s.context) },
  { name: 'maxSim', of: (s) => standardized(s.maxSim) },
  ...shares('maxSim', ['previous', 'next']),
  { name: 'window', of: (s) => standardized(s.window) },
  ...shares('window', ['own', 'previous', 'session']),
  { name: 'cosine', of: (s) => standardized(s.cosine) },
  { name: 'meaning', of: (s) => s.meaning },
  { name: 'coverage', of: (s) => s.maxSim.own },
  { name: 'exact share', of: (s) => s.match.exactShare },
  { name: 'focus', of: (s) => s.match.focus },
  { name: 'phrases', of: (s) => s.match.phrases },
  { name: 'focus previous', of: (s) => s.focusPrevious },
  { name: 'echo', of: (s) => s.echo },
  { name: 'echo window', of: (s) => s.echoWindow },
  { name: 'other speaks', of: (s) => Number(s.namesSomebody && !s.isBySomebodyNamed) },
  { name: 'follows question', of: (s) => has(s.previousTraits, ASKS) },
  { name: 'length', of: (s) => Math.log(1 + s.tokenCount) },
  { name: 'length of mean', of: (s) => Math.log((1 + s.tokenCount) / (1 + s.meanTokenCount)) },
  { name: 'length previous', of: (s) => Math.log(1 + s.previousTokenCount) },
  { name: 'tells time', of: (s) => has(s.traits, TELLS_TIME) },
  { name: 'tells number', of: (s) => has(s.traits, TELLS_NUMBER) },
  { name: 'speaks to other', of: (s) => has(s.traits, SPEAKS_TO_OTHER) },
  { name: 'names something', of: (s) => has(s.traits, NAMES_SOMETHING) },
  { name: 'speaks of self', of: (s) => has(s.traits, SPEAKS_OF_SELF) },
  { name: 'reacts', of: (s) => has(s.traits, REACTS) },
  { name: 'is list', of: (s) => has(s.traits, IS_LIST) },
  { name: 'when x time', of: (s) => Number(s.isTimeAsked) * has(s.traits, TELLS_TIME) },
  { name: 'dates asked', of: (s) => s.datePartsAsked },
  { name: 'dates missed', of: (s) => s.datePartsAsked - s.datePartsMet },
  { name: 'query tokens', of: (s) => s.queryTokenCount },
];
