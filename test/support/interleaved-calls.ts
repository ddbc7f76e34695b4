import { setImmediate as turn } from 'node:timers/promises';
import type { TestRandom } from './random.ts';

/** The call that was refused, or whose answer was lost, because the process of the test has ended. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** Methods that return at once. */
const AT_ONCE: ReadonlySet<PropertyKey> = new Set([
  'allIds',
  'describe',
  'hasOnlyMoved',
  'recovered',
  'seenOwnership',
  'close',
]);

/** Methods between which another operation makes a difference. */
const CHANGING: ReadonlySet<PropertyKey> = new Set([
  'store',
  'update',
  'delete',
  'touch',
  'move',
  'mirror',
  'claim',
  'disclaim',
  'adopt',
  'release',
  'releaseUnchanged',
]);
/** Share of such calls and answers that wait for long, and for how many turns at most. */
const STALLED = 0.3;
const STALLED_TURNS_MAX = 100;

interface Waiting {
  /** The turn before which others go first. */
  readonly from: number;
  readonly resume: () => Promise<unknown>;
  readonly end: () => void;
}

/**
 * Orders the calls to stores by a seeded random: each call waits for its turn, and so does its answer. Some wait for
 * long, so that whole operations of other callers come in between. After a number of turns the process ends: no call is made and no answer arrives any more, while calls under way take effect.
 */
export class InterleavedCalls {
  turnsLeft: number;
  private readonly random: TestRandom;
  private readonly waiting: Waiting[] = [];
  private isRunning = false;
  private turns = 0;

  constructor(random: TestRandom, turnsLeft = Number.POSITIVE_INFINITY) {
    this.random = random;
    this.turnsLeft = turnsLeft;
  }

  get hasEnded(): boolean {
    return this.turnsLeft <= 0;
  }

  around<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'tiers') return this.around(value as object);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...args: unknown[]) => unknown;
        if (AT_ONCE.has(name)) return call;
        const mayStall = CHANGING.has(name);
        return (...args: unknown[]) => this.call(() => call(...args) as Promise<unknown>, mayStall);
      },
    });
  }

  private async call(make: () => Promise<unknown>, mayStall: boolean): Promise<unknown> {
    let made: Promise<unknown> | undefined;
    await this.turnOf(() => {
      made = make();
      return made.catch(() => undefined);
    }, mayStall);
    const [settled] = await Promise.allSettled([made]);
    await this.turnOf(async () => undefined, mayStall);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  private turnOf(work: () => Promise<unknown>, mayStall: boolean): Promise<void> {
    if (this.hasEnded) return Promise.reject(new ProcessEnded());
    return new Promise((resolve, reject) => {
      const { random, turns } = this;
      this.waiting.push({
        from: turns + (mayStall && random.chance(STALLED) ? random.int(STALLED_TURNS_MAX) : 0),
        resume: () => {
          const done = work();
          resolve();
          return done;
        },
        end: () => reject(new ProcessEnded()),
      });
      if (!this.isRunning) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    // The code under test goes on to its next call meanwhile.
    for (await turn(); this.waiting.length > 0; await turn()) {
      if (this.turnsLeft-- <= 0) break;
      const done = this.next().resume();
      // Otherwise several calls are under way.
      if (this.random.chance(0.6)) await done;
    }
    this.isRunning = false;
    if (this.hasEnded) for (const { end } of this.waiting.splice(0)) end();
  }

  private next(): Waiting {
    const { waiting } = this;
    this.turns++;
    const due = waiting.filter(({ from }) => from <= this.turns);
    const next = this.random.pick(due.length > 0 ? due : waiting);
    waiting.splice(waiting.indexOf(next), 1);
    return next;
  }
}
