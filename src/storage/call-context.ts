import { AsyncLocalStorage } from 'node:async_hooks';

/** The context of the work that runs for a call or a job. */
const context = new AsyncLocalStorage<Readonly<Record<symbol, unknown>>>();

/** A value that the work for a call or a job carries with it, without an argument of each contract. */
export class CallContext<T> {
  private readonly key = Symbol();

  /** The value of the work that runs; `undefined` where it has none. */
  get current(): T | undefined {
    return context.getStore()?.[this.key] as T | undefined;
  }

  /** Runs work, and all that it starts, with the value; other values stay. */
  run<A>(value: T | undefined, work: () => A): A {
    return context.run({ ...context.getStore(), [this.key]: value }, work);
  }
}
