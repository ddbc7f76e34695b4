import { readFileSync } from 'node:fs';
import { RELEVANCE_FEATURES } from './relevance-features.ts';

const FILE = new URL('../../../assets/relevance-v1.json', import.meta.url);
export const RELEVANCE_FORMAT = 1;

/** What `tools/train_relevance.py` writes. */
export interface RelevanceFile {
  readonly format: number;
  readonly name: string;
  /** Memories of a namespace at which the weights of small and of large ones count alike. */
  readonly half: number;
  /** Cosine that counts nothing in large namespaces, and what an order of small ones is less. */
  readonly meaningZero: number;
  readonly order: {
    readonly features: readonly string[];
    readonly large: readonly number[];
    readonly small: readonly number[];
    readonly smallZero: number;
  };
  readonly relevance: {
    readonly features: readonly string[];
    readonly weights: readonly number[];
    /** What is added to each weight in a small namespace. */
    readonly small: readonly number[];
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

/** What of a score comes from one feature. */
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

/** Two logistic models that were learned: one puts candidates in order, the other tells how relevant each is. */
export class RelevanceModel {
  private readonly file: RelevanceFile;
  /** Place in a row of each feature of the order. */
  private readonly orderAt: readonly number[];

  /** Throws RelevanceModelError for a file of another format, or one whose features this server does not know. */
  constructor(file: RelevanceFile) {
    if (file.format !== RELEVANCE_FORMAT) {
      throw new RelevanceModelError(`relevance of format ${file.format}, this server reads ${RELEVANCE_FORMAT}`);
    }
    this.file = file;
    this.orderAt = file.order.features.map(placeOf);
    const known = new Set(Object.keys(hitFeatures({ at: () => 0, order: 0, best: NOTHING })));
    for (const name of file.relevance.features) {
      if (!known.has(name)) throw new RelevanceModelError(`${file.name}: no feature "${name}"`);
    }
  }

  /** `rows` are those of `relevanceRows`, of a namespace of `size` memories. */
  judge(rows: Float32Array, size: number): Judgement {
    const count = rows.length / WIDTH;
    const scores = Float64Array.from({ length: count }, (_, row) => this.scoreOf(rows, row, size));
    const best = bestOf(rows, scores, size);
    const { features, weights, small, bias } = this.file.relevance;
    const smallness = this.smallness(size);
    const relevances = scores.map((order, row) => {
      const values = hitFeatures({ at: (name) => rows[row * WIDTH + placeOf(name)] ?? 0, order, best });
      let sum = bias;
      features.forEach((name, at) => {
        sum += ((weights[at] ?? 0) + smallness * (small[at] ?? 0)) * (values[name] ?? 0);
      });
      return 1 / (1 + Math.exp(-sum));
    });
    return { scores, relevances };
  }

  /** What a score comes from: what the trees' score is multiplied by, all other features, and what every score has. */
  partsOf(rows: Float32Array, row: number, size: number): ScoreParts {
    const { features } = this.file.order;
    const trees = features.indexOf('trees');
    const parts = RELEVANCE_FEATURES.map((name): OrderPart => {
      const value = rows[row * WIDTH + placeOf(name)] ?? 0;
      const at = features.indexOf(name);
      // What the trees contribute is told feature by feature.
      return { name, value, contribution: at < 0 || at === trees ? 0 : value * this.weightOf(at, size) };
    });
    return { parts, treesShare: this.weightOf(trees, size), base: -this.zeroOf(size) };
  }

  private scoreOf(rows: Float32Array, row: number, size: number): number {
    let sum = 0;
    for (let at = 0; at < this.orderAt.length; at++) {
      sum += this.weightOf(at, size) * (rows[row * WIDTH + (this.orderAt[at] as number)] as number);
    }
    return sum - this.zeroOf(size);
  }

  private zeroOf(size: number): number {
    const { large, features, smallZero } = this.file.order;
    const largeZero = (large[features.indexOf('meaning')] ?? 0) * this.file.meaningZero;
    const smallness = this.smallness(size);
    return (1 - smallness) * largeZero + smallness * smallZero;
  }

  private weightOf(at: number, size: number): number {
    const smallness = this.smallness(size);
    return (1 - smallness) * (this.file.order.large[at] ?? 0) + smallness * (this.file.order.small[at] ?? 0);
  }

  private smallness(size: number): number {
    return 1 / (1 + (size / this.file.half) ** 2);
  }
}

/** What is the same for every hit of an answer. */
interface Best {
  readonly meaning: number;
  readonly coverage: number;
  readonly exact: number;
  readonly order: number;
  /** By how much the best is ahead of the next one. */
  readonly margin: number;
  readonly size: number;
}

const NOTHING: Best = { meaning: 0, coverage: 0, exact: 0, order: 0, margin: 0, size: 0 };

function bestOf(rows: Float32Array, scores: Float64Array, size: number): Best {
  const most = (name: (typeof RELEVANCE_FEATURES)[number]) => {
    let best = Number.NEGATIVE_INFINITY;
    for (let at = placeOf(name); at < rows.length; at += WIDTH) best = Math.max(best, rows[at] as number);
    return best;
  };
  const [order = 0, second = order - MARGIN_ALONE] = scores.toSorted().reverse();
  return {
    meaning: most('meaning'),
    coverage: most('coverage'),
    exact: most('exact'),
    order,
    margin: order - second,
    size: Math.log(1 + size),
  };
}

interface HitSeen {
  at(name: (typeof RELEVANCE_FEATURES)[number]): number;
  readonly order: number;
  readonly best: Best;
}

function hitFeatures({ at, order, best }: HitSeen): Readonly<Record<string, number>> {
  return {
    order,
    trees: at('trees'),
    meaning: at('meaning'),
    exact: at('exact'),
    coverage: at('coverage'),
    'best meaning': best.meaning,
    'best coverage': best.coverage,
    'best exact': best.exact,
    'meaning below best': at('meaning') - best.meaning,
    'order below best': order - best.order,
    margin: best.margin,
    size: best.size,
    'query tokens': at('query tokens'),
    asks: at('asks'),
    speaker: at('speaker'),
    number: at('number'),
    preference: at('preference'),
    time: at('time'),
  };
}

function placeOf(name: string): number {
  const at = (RELEVANCE_FEATURES as readonly string[]).indexOf(name);
  if (at < 0) throw new RelevanceModelError(`no feature "${name}"`);
  return at;
}

export function openRelevanceModel(): RelevanceModel {
  return new RelevanceModel(JSON.parse(readFileSync(FILE, 'utf8')) as RelevanceFile);
}
