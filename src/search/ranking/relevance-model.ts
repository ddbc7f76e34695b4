import { readFileSync } from 'node:fs';
import { RELEVANCE_FEATURES } from './relevance-features.ts';

const FILE = new URL('../../../assets/relevance-v1.json', import.meta.url);
export const RELEVANCE_FORMAT = 1;

/** The file written by `tools/train_relevance.py`. */
export interface RelevanceFile {
  readonly format: number;
  readonly name: string;
  /** Namespace size at which the weights for small and large namespaces count equally. */
  readonly half: number;
  readonly order: {
    readonly features: readonly string[];
    readonly large: readonly number[];
    readonly small: readonly number[];
    /** Offset that aligns scores of small namespaces with those of large ones. */
    readonly smallZero: number;
  };
  readonly relevance: {
    readonly features: readonly string[];
    readonly weights: readonly number[];
    /** Addition to each weight in a small namespace. */
    readonly small: readonly number[];
    readonly bias: number;
  };
  /** Relevance of memories in another language than the question: the namespace lacks its words. */
  readonly across: {
    /** Shares of the words that are missing: the model counts from the first on, and alone from the second on. */
    readonly from: number;
    readonly to: number;
    readonly features: readonly string[];
    readonly weights: readonly number[];
    readonly bias: number;
  };
}

export class RelevanceModelError extends Error {
  override readonly name = 'RelevanceModelError';
}

/** Scores by which candidates are put in order, and the probability of each that it answers the cue. */
export interface Judgement {
  readonly scores: Float64Array;
  readonly relevances: Float64Array;
}

/** The contribution of one feature to a score. */
export interface OrderPart {
  readonly name: string;
  readonly value: number;
  readonly contribution: number;
}

export interface ScoreParts {
  readonly parts: readonly OrderPart[];
  readonly treesShare: number;
  readonly base: number;
}

const WIDTH = RELEVANCE_FEATURES.length;
const MARGIN_ALONE = 3;

/**
 * `foreign`: words of the question are missing, and it or the memories are not in English. `remark`: a sentence that asks
 * nothing.
 */
export type CueKind = 'english' | 'foreign' | 'remark';

/** Share of the relevance across languages, which rests on meaning; of a remark half, as its precision showed. */
const ACROSS_RELEVANCE: Readonly<Record<CueKind, number>> = { english: 0, foreign: 1, remark: 0.5 };

/** Two logistic models that were learned: one orders candidates, the other estimates how relevant each is. */
export class RelevanceModel {
  private readonly file: RelevanceFile;
  /** Place in a row of each feature of the order. */
  private readonly orderAt: readonly number[];
  private readonly hitFeatures: readonly HitFeature[];
  private readonly acrossFeatures: readonly HitFeature[];

  /** Throws RelevanceModelError for a file of another format, or one whose features this server does not know. */
  constructor(file: RelevanceFile) {
    if (file.format !== RELEVANCE_FORMAT) {
      throw new RelevanceModelError(`relevance of format ${file.format}, this server reads ${RELEVANCE_FORMAT}`);
    }
    this.file = file;
    this.orderAt = file.order.features.map(placeOf);
    this.hitFeatures = file.relevance.features.map((name) => hitFeature(file, name));
    this.acrossFeatures = file.across.features.map((name) => hitFeature(file, name));
  }

  /** Whether the order goes by meaning, by the share of the question's words that the namespace lacks. */
  goesByMeaning(unsaid: number): boolean {
    return unsaid > this.file.across.from;
  }

  /**
   * `rows` are the result of `relevanceRows` for a namespace of `size` memories. The relevance of a question in English
   * does not depend on the share of words.
   */
  judge(rows: Float32Array, size: number, kind: CueKind): Judgement {
    const count = rows.length / WIDTH;
    const smallness = this.smallness(size);
    const across = this.acrossOf(rows, kind);
    const scoresAt = (at: number) => Float64Array.from({ length: count }, (_, row) => this.scoreOf(rows, row, at));
    const scores = scoresAt(smallness + (1 - smallness) * across);
    const order = kind !== 'english' || across === 0 ? scores : scoresAt(smallness);
    const relevances = new Float64Array(count);
    const { ofRow, ofOrder, ofAll } = this.sumOf(bestOf(rows, order, size), smallness, across * ACROSS_RELEVANCE[kind]);
    for (let row = 0; row < count; row++) {
      const first = row * WIDTH;
      let sum = ofAll + ofOrder * (order[row] as number);
      for (let at = 0; at < WIDTH; at++) sum += (ofRow[at] as number) * (rows[first + at] as number);
      relevances[row] = 1 / (1 + Math.exp(-sum));
    }
    return { scores, relevances };
  }

  /** The sums that weigh the hits of one answer: by their features, by their order, and common to all. */
  private sumOf(best: Best, smallness: number, across: number) {
    const { relevance, across: other } = this.file;
    const ofRow = new Float64Array(WIDTH);
    let [ofOrder, ofAll] = [0, (1 - across) * relevance.bias + across * other.bias];
    const add = ({ row = -1, isOrder = false, all }: HitFeature, weight: number): void => {
      if (row >= 0) ofRow[row] = (ofRow[row] as number) + weight;
      if (isOrder) ofOrder += weight;
      if (all) ofAll += weight * all(best);
    };
    this.hitFeatures.forEach((feature, at) => {
      add(feature, (1 - across) * ((relevance.weights[at] ?? 0) + smallness * (relevance.small[at] ?? 0)));
    });
    this.acrossFeatures.forEach((feature, at) => {
      add(feature, across * (other.weights[at] ?? 0));
    });
    return { ofRow, ofOrder, ofAll };
  }

  /** The parts of a score: the factor of the trees' score, all other features, and the common part. */
  partsOf(rows: Float32Array, row: number, size: number, kind: CueKind): ScoreParts {
    const { features } = this.file.order;
    const trees = features.indexOf('trees');
    const smallness = this.smallness(size);
    const share = smallness + (1 - smallness) * this.acrossOf(rows, kind);
    const parts = RELEVANCE_FEATURES.map((name): OrderPart => {
      const value = rows[row * WIDTH + placeOf(name)] ?? 0;
      const at = features.indexOf(name);
      // The contribution of the trees is added feature by feature.
      return { name, value, contribution: at < 0 || at === trees ? 0 : value * this.weightOf(at, share) };
    });
    return { parts, treesShare: this.weightOf(trees, share), base: -this.zeroOf(share) };
  }

  private scoreOf(rows: Float32Array, row: number, share: number): number {
    let sum = 0;
    for (let at = 0; at < this.orderAt.length; at++) {
      sum += this.weightOf(at, share) * (rows[row * WIDTH + (this.orderAt[at] as number)] as number);
    }
    return sum - this.zeroOf(share);
  }

  private zeroOf(share: number): number {
    return share * this.file.order.smallZero;
  }

  private weightOf(at: number, share: number): number {
    return (1 - share) * (this.file.order.large[at] ?? 0) + share * (this.file.order.small[at] ?? 0);
  }

  /**
   * Share of the order of small namespaces in a large one, which goes by meaning: trees compare words, and have none to
   * compare where the namespace lacks those of the question. In English words count to the last one.
   */
  private acrossOf(rows: Float32Array, kind: CueKind): number {
    if (kind === 'remark') return 1;
    const { from, to } = this.file.across;
    return Math.min(1, Math.max(0, ((rows[UNSAID] ?? 0) - from) / ((kind === 'foreign' ? to : 1) - from)));
  }

  private smallness(size: number): number {
    return 1 / (1 + (size / this.file.half) ** 2);
  }
}

/** Features common to every hit of an answer. */
interface Best {
  readonly meaning: number;
  readonly coverage: number;
  readonly exact: number;
  readonly covered: number;
  readonly order: number;
  /** By how much the best is ahead of the next one. */
  readonly margin: number;
  /** Mean of the hits behind the first one. */
  readonly nextMeaning: number;
  /** 1 where the nearest has most of the words too. */
  readonly agrees: number;
  readonly size: number;
}

/** Hits that the best is compared with. */
const NEXT_MAX = 9;
/** Cosine of an unrelated memory. */
const FAR = 0.05;

function bestOf(rows: Float32Array, scores: Float64Array, size: number): Best {
  const placeOfMost = (name: (typeof RELEVANCE_FEATURES)[number]) => {
    const start = placeOf(name);
    let best = start;
    for (let at = start; at < rows.length; at += WIDTH) if ((rows[at] as number) > (rows[best] as number)) best = at;
    return best;
  };
  const most = (name: (typeof RELEVANCE_FEATURES)[number]) => rows[placeOfMost(name)] ?? Number.NEGATIVE_INFINITY;
  const rowOfMost = (name: (typeof RELEVANCE_FEATURES)[number]) => Math.floor(placeOfMost(name) / WIDTH);
  const places = Array.from(scores, (_, row) => row).sort((a, b) => (scores[b] as number) - (scores[a] as number));
  const order = scores[places[0] ?? 0] ?? 0;
  const second = scores[places[1] ?? -1] ?? order - MARGIN_ALONE;
  const next = places.slice(1, 1 + NEXT_MAX).map((row) => rows[row * WIDTH + placeOf('meaning')] as number);
  return {
    meaning: most('meaning'),
    coverage: most('coverage'),
    exact: most('exact'),
    covered: most('covered'),
    order,
    margin: order - second,
    nextMeaning: next.length === 0 ? FAR : next.reduce((sum, one) => sum + one, 0) / next.length,
    agrees: Number(rowOfMost('meaning') === rowOfMost('covered')),
    size: Math.log(1 + size),
  };
}

/** The sum of its parts: a feature of the row, the order, and the common part. */
interface HitFeature {
  readonly row?: number;
  readonly isOrder?: boolean;
  readonly all?: (best: Best) => number;
}

const HIT_FEATURES: ReadonlyMap<string, HitFeature> = new Map<string, HitFeature>([
  ...RELEVANCE_FEATURES.map((name, row): [string, HitFeature] => [name, { row }]),
  ['order', { isOrder: true }],
  ['best meaning', { all: (best) => best.meaning }],
  ['best coverage', { all: (best) => best.coverage }],
  ['best exact', { all: (best) => best.exact }],
  ['best covered', { all: (best) => best.covered }],
  ['meaning below best', { row: placeOf('meaning'), all: (best) => -best.meaning }],
  ['order below best', { isOrder: true, all: (best) => -best.order }],
  ['meaning of next', { all: (best) => best.nextMeaning }],
  ['margin', { all: (best) => best.margin }],
  ['agree', { all: (best) => best.agrees }],
  ['size', { all: (best) => best.size }],
]);

function placeOf(name: string): number {
  const at = (RELEVANCE_FEATURES as readonly string[]).indexOf(name);
  if (at < 0) throw new RelevanceModelError(`no feature "${name}"`);
  return at;
}

/** The same in every row of an answer. */
const UNSAID = placeOf('unsaid');

function hitFeature(file: RelevanceFile, name: string): HitFeature {
  const of = HIT_FEATURES.get(name);
  if (!of) throw new RelevanceModelError(`${file.name}: no feature "${name}"`);
  return of;
}

export function openRelevanceModel(): RelevanceModel {
  return new RelevanceModel(JSON.parse(readFileSync(FILE, 'utf8')) as RelevanceFile);
}
