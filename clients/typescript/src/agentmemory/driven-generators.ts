import { LEFT, type RecordedRun } from './recorded-run.ts';
import { runInside } from './recorder.ts';

type Begin<Run> = () => Run;
/** Called after an action that returned. */
type Finish = () => void;

const ITERATORS = Reflect.getPrototypeOf(Reflect.getPrototypeOf([][Symbol.iterator]()) ?? {});
const ASYNC_ITERATORS = Reflect.getPrototypeOf(Reflect.getPrototypeOf((async function* () {})()) ?? {});

/** The generator of an action: its items, values sent to it, exceptions thrown into it, and its result. */
export class DrivenGenerator implements Iterator<unknown, unknown, unknown> {
  readonly #agent: object;
  readonly #source: Generator<unknown, unknown, unknown>;
  readonly #begin: Begin<RecordedRun | undefined>;
  readonly #finish: Finish;
  #run: RecordedRun | undefined;
  #isBegun = false;
  #isOver = false;

  /** `begin` is called before the first item. */
  constructor(
    agent: object,
    source: Generator<unknown, unknown, unknown>,
    begin: Begin<RecordedRun | undefined>,
    finish: Finish,
  ) {
    this.#agent = agent;
    this.#source = source;
    this.#begin = begin;
    this.#finish = finish;
  }

  next(...sent: [] | [unknown]): IteratorResult<unknown, unknown> {
    this.#start();
    return this.#drive(() => this.#source.next(...sent));
  }

  throw(error: unknown): IteratorResult<unknown, unknown> {
    return this.#drive(() => this.#source.throw(error));
  }

  return(value: unknown): IteratorResult<unknown, unknown> {
    return this.#drive(() => this.#source.return(value), true);
  }

  [Symbol.iterator](): this {
    return this;
  }

  get [Symbol.toStringTag](): string {
    return 'Generator';
  }

  #start(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#run = this.#begin();
  }

  #drive(resume: () => IteratorResult<unknown, unknown>, isLeft = false): IteratorResult<unknown, unknown> {
    if (this.#isOver) return resume();
    let item: IteratorResult<unknown, unknown>;
    try {
      item = runInside(this.#agent, resume);
    } catch (thrown) {
      this.#isOver = true;
      this.#run?.endNow({ error: { thrown } });
      throw thrown;
    }
    if (!item.done) this.#run?.saw(item.value);
    else {
      this.#isOver = true;
      if (!isLeft && this.#isBegun) this.#finish();
      this.#run?.endNow(isLeft ? LEFT : { result: item.value });
    }
    return item;
  }
}

/** The same of an asynchronous generator. */
export class DrivenAsyncGenerator implements AsyncIterator<unknown, unknown, unknown> {
  readonly #agent: object;
  readonly #source: AsyncGenerator<unknown, unknown, unknown>;
  readonly #begin: Begin<Promise<RecordedRun | undefined>>;
  readonly #finish: Finish;
  #run: Promise<RecordedRun | undefined> | undefined;
  #isOver = false;

  constructor(
    agent: object,
    source: AsyncGenerator<unknown, unknown, unknown>,
    begin: Begin<Promise<RecordedRun | undefined>>,
    finish: Finish,
  ) {
    this.#agent = agent;
    this.#source = source;
    this.#begin = begin;
    this.#finish = finish;
  }

  next(...sent: [] | [unknown]): Promise<IteratorResult<unknown, unknown>> {
    this.#run ??= this.#begin();
    return this.#drive(() => this.#source.next(...sent));
  }

  throw(error: unknown): Promise<IteratorResult<unknown, unknown>> {
    return this.#drive(() => this.#source.throw(error));
  }

  return(value: unknown): Promise<IteratorResult<unknown, unknown>> {
    return this.#drive(() => this.#source.return(value), true);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get [Symbol.toStringTag](): string {
    return 'AsyncGenerator';
  }

  async #drive(resume: () => Promise<IteratorResult<unknown, unknown>>, isLeft = false) {
    const run = await this.#run;
    let item: IteratorResult<unknown, unknown>;
    try {
      item = await runInside(this.#agent, resume);
    } catch (thrown) {
      if (!this.#isOver) run?.endNow({ error: { thrown } });
      this.#isOver = true;
      throw thrown;
    }
    if (this.#isOver) return item;
    if (!item.done) run?.saw(item.value);
    else {
      this.#isOver = true;
      if (!isLeft && this.#run !== undefined) this.#finish();
      await run?.endSoon(isLeft ? LEFT : { result: item.value });
    }
    return item;
  }
}

// The helpers of iterators, such as `map`, where the runtime has them.
Object.setPrototypeOf(DrivenGenerator.prototype, ITERATORS);
Object.setPrototypeOf(DrivenAsyncGenerator.prototype, ASYNC_ITERATORS);
