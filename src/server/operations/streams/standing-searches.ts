import { fromThrown } from '../../../memory/errors.ts';
import type { RecallEngine, RecallQuery, RecallResult } from '../../../search/recall/recall-engine.ts';
import type {
  Evaluated,
  Evaluation,
  LastingQuery,
  StandingQueryIndex,
} from '../../../search/standing/standing-query.ts';

interface Waiting {
  readonly evaluation: Evaluation;
  resolve(result: Evaluated): void;
  reject(error: unknown): void;
}

/**
 * Evaluates `near` queries again: those of one turn of the event loop in one message, without the vectors that the
 * index has.
 */
export class StandingSearches {
  private readonly index: Pick<StandingQueryIndex, 'evaluate'>;
  private waiting: Waiting[] = [];

  constructor(index: Pick<StandingQueryIndex, 'evaluate'>) {
    this.index = index;
  }

  /** An engine for one query; queries unknown to the index are forwarded to `engine`. */
  engineOf(id: number, engine: RecallEngine): RecallEngine {
    return new NearEngine(id, engine, this);
  }

  ask(evaluation: Evaluation): Promise<Evaluated> {
    if (this.waiting.length === 0) setImmediate(() => void this.send());
    return new Promise((resolve, reject) => {
      this.waiting.push({ evaluation, resolve, reject });
    });
  }

  private async send(): Promise<void> {
    const { waiting } = this;
    this.waiting = [];
    try {
      const results = await this.index.evaluate(waiting.map(({ evaluation }) => evaluation));
      for (const [at, { resolve }] of waiting.entries()) resolve(results[at] ?? { isUnknown: true });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

class NearEngine implements RecallEngine {
  private readonly id: number;
  private readonly engine: RecallEngine;
  private readonly searches: StandingSearches;
  /** The query as the index knows it. */
  private known: LastingQuery | undefined = undefined;

  constructor(id: number, engine: RecallEngine, searches: StandingSearches) {
    this.id = id;
    this.engine = engine;
    this.searches = searches;
  }

  get textModel(): string {
    return this.engine.textModel;
  }

  async search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    signal.throwIfAborted();
    const { nowUs, deadlineAtMs, revision: _, embedding: __, ...lasting } = query;
    const isSame = this.known !== undefined && isEqual(this.known, lasting);
    const { id } = this;
    const result = await this.searches.ask({ id, nowUs, deadlineAtMs, ...(isSame ? {} : { query: lasting }) });
    if ('thrown' in result) throw fromThrown(result.thrown);
    if (!('answer' in result)) this.known = undefined;
    else if (!isSame) this.known = lasting;
    return 'answer' in result ? result.answer : this.engine.search(query, signal);
  }

  statistics() {
    return this.engine.statistics();
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

/** Compares values by identity, and the fields of objects one level deep: deeper parts are never copied. */
function isEqual(one: LastingQuery, other: LastingQuery): boolean {
  return isEqualIn(one, other, (value, same) => {
    const isObject = typeof value === 'object' && value !== null && typeof same === 'object' && same !== null;
    return isObject && isEqualIn(value, same, Object.is);
  });
}

function isEqualIn(one: object, other: object, isAlike: (value: unknown, same: unknown) => boolean): boolean {
  const [values, same] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const keys = Object.keys(values);
  if (keys.length !== Object.keys(same).length) return false;
  return keys.every((key) => Object.is(values[key], same[key]) || isAlike(values[key], same[key]));
}

/** Limits concurrent work; the rest waits in order. */
export class Limiter {
  private readonly atOnceMax: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(atOnceMax: number) {
    this.atOnceMax = atOnceMax;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnceMax) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
