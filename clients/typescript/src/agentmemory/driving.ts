import { DrivenAsyncGenerator, DrivenGenerator } from './driven-generators.ts';
import { RecordedRun, stateNow, stateSoon } from './recorded-run.ts';
import { type Agent, isInside, type Recorder, runInside } from './recorder.ts';

type Method = (this: Agent, ...args: unknown[]) => unknown;

/** The connection of wrappers with agents. */
export interface Hooking {
  /** The recorder of an agent. Absent where hooks are off. */
  recorderOf(agent: Agent): Recorder | undefined;
  /** Called after an action that returned, with the step before it. */
  finish(agent: Agent, stepBefore: unknown): void;
}

const hooked = new WeakSet<object>();

/** True for a method with recording. */
export function isHooked(method: unknown): boolean {
  return typeof method === 'function' && hooked.has(method);
}

/** The method `act` or `getState` with recording: it runs once, as it is. */
export function hookedMethod(method: Method, name: 'act' | 'getState', hooking: Hooking): Method {
  const wrapper = name === 'act' ? actWrapper(method, hooking) : stateWrapper(method, hooking);
  Object.defineProperty(wrapper, 'name', { value: method.name || name, configurable: true });
  Object.defineProperty(wrapper, 'length', { value: method.length, configurable: true });
  hooked.add(wrapper);
  return wrapper;
}

function stateWrapper(method: Method, { recorderOf }: Hooking): Method {
  return function getState(this: Agent, ...args: unknown[]): unknown {
    const state = method.apply(this, args);
    if (isInside(this)) return state;
    const note = (value: unknown) => recorderOf(this)?.sawState(this, value);
    if (!isPromise(state)) {
      note(state);
      return state;
    }
    return state.then((value) => {
      note(value);
      return value;
    });
  };
}

function actWrapper(method: Method, { recorderOf, finish }: Hooking): Method {
  // What is not native code of this kind is recognized by its result.
  const kind = Object.prototype.toString.call(method);
  const run = (agent: Agent, args: unknown[]) => runInside(agent, () => method.apply(agent, args));
  const finisher = (agent: Agent, step: unknown) => () => finish(agent, step);
  const begun = (agent: Agent, args: unknown[]) => {
    const recorder = recorderOf(agent);
    return recorder && new RecordedRun(recorder, agent, stateNow(recorder, agent), args);
  };
  const begunSoon = async (agent: Agent, args: unknown[]) => {
    const recorder = recorderOf(agent);
    return recorder && new RecordedRun(recorder, agent, await stateSoon(recorder, agent), args);
  };

  if (kind === '[object AsyncFunction]') {
    return async function act(this: Agent, ...args: unknown[]): Promise<unknown> {
      if (isInside(this)) return method.apply(this, args);
      const step = this.stepNumber;
      const recorded = await begunSoon(this, args);
      return awaited(run(this, args) as Promise<unknown>, recorded, finisher(this, step));
    };
  }
  return function act(this: Agent, ...args: unknown[]): unknown {
    if (isInside(this)) return method.apply(this, args);
    const finished = finisher(this, this.stepNumber);
    if (kind === '[object GeneratorFunction]') {
      const source = method.apply(this, args) as Generator<unknown, unknown, unknown>;
      return new DrivenGenerator(this, source, () => begun(this, args), finished);
    }
    if (kind === '[object AsyncGeneratorFunction]') {
      const source = method.apply(this, args) as AsyncGenerator<unknown, unknown, unknown>;
      return new DrivenAsyncGenerator(this, source, () => begunSoon(this, args), finished);
    }
    const recorded = begun(this, args);
    let result: unknown;
    try {
      result = run(this, args);
    } catch (thrown) {
      recorded?.endNow({ error: { thrown } });
      throw thrown;
    }
    return overLater(this, result, recorded, finished);
  };
}

/** Of a plain function: a result, or one that is to come. */
function overLater(agent: Agent, result: unknown, recorded: RecordedRun | undefined, finish: () => void): unknown {
  if (typeof result === 'object' && result !== null) {
    const kind = Object.prototype.toString.call(result);
    if (kind === '[object Generator]') {
      const source = result as Generator<unknown, unknown, unknown>;
      return new DrivenGenerator(agent, source, () => recorded, finish);
    }
    if (kind === '[object AsyncGenerator]') {
      const source = result as AsyncGenerator<unknown, unknown, unknown>;
      return new DrivenAsyncGenerator(agent, source, () => Promise.resolve(recorded), finish);
    }
    if (isPromise(result)) return awaited(result, recorded, finish);
    // To call `then` of another thenable, such as a query, may run it: it is left to the caller.
    if ('then' in result) {
      finish();
      recorded?.endNow({});
      return result;
    }
  }
  finish();
  recorded?.endNow({ result });
  return result;
}

async function awaited(
  promise: Promise<unknown>,
  recorded: RecordedRun | undefined,
  finish: () => void,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await promise;
  } catch (thrown) {
    await recorded?.endSoon({ error: { thrown } });
    throw thrown;
  }
  finish();
  await recorded?.endSoon({ result });
  return result;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}
