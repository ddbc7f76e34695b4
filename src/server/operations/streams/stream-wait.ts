import type { Call } from '../../../memory/call.ts';
import { isNamespaceMissing, isUnavailable } from '../../../memory/errors.ts';
import { EARLY_MS, type OpenStreams } from './open-streams.ts';

export type Woken = 'woken' | 'silent' | 'draining';

/** For shorter periods the early end would be noticeable. */
const SHARED_SILENCE_MS = 20 * EARLY_MS;

/**
 * The wait of a stream between messages: for a new message, for a silence long enough for a heartbeat, or for the end.
 * Thousands wait concurrently for seconds, so a wait allocates only one promise, and its alarm stays when it is woken.
 * Long silences end slightly early, in batches.
 */
export class StreamWait {
  private readonly signal: AbortSignal;
  private readonly streams: OpenStreams;
  private readonly wholeSilenceMs: number;
  /** The first one is shorter: otherwise streams that began together would send their heartbeats together for ever. */
  private silenceMs: number;
  private spokeAtMs = performance.now();
  private isWoken = false;
  private waiting: PromiseWithResolvers<Woken> | undefined;
  private waitsUntilMs = 0;
  private readonly earlyMs: number;
  private disarm: (() => void) | undefined;
  private alarmAtMs = Number.POSITIVE_INFINITY;

  constructor(call: Pick<Call, 'signal'>, streams: OpenStreams, silenceMs: number) {
    this.signal = call.signal;
    this.streams = streams;
    this.wholeSilenceMs = silenceMs;
    this.earlyMs = silenceMs < SHARED_SILENCE_MS ? 1 : EARLY_MS;
    this.silenceMs = silenceMs * (1 - streams.nextShare() / 2);
    this.signal.addEventListener('abort', this.settle);
    streams.onDrain(this.settle);
  }

  /** A message is ready. */
  readonly wake = (): void => {
    this.isWoken = true;
    this.settle();
  };

  /** A message was sent: the silence starts again. */
  spoke(): void {
    this.spokeAtMs = performance.now();
  }

  /** Fails with the signal's reason when the call has ended. `forMs` limits the wait, which then ends as `woken`. */
  next(forMs = Number.POSITIVE_INFINITY): Promise<Woken> {
    const nowMs = performance.now();
    this.waitsUntilMs = Math.min(this.spokeAtMs + this.silenceMs, nowMs + forMs);
    const waiting = Promise.withResolvers<Woken>();
    this.waiting = waiting;
    if (this.signal.aborted || this.streams.isDraining || this.isWoken || this.waitsUntilMs <= nowMs) this.settle();
    else this.arm(nowMs);
    return waiting.promise;
  }

  close(): void {
    this.disarm?.();
    this.signal.removeEventListener('abort', this.settle);
    this.streams.offDrain(this.settle);
  }

  private readonly settle = (): void => {
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting) return;
    if (this.signal.aborted) waiting.reject(this.signal.reason);
    else waiting.resolve(this.outcome());
  };

  private outcome(): Woken {
    if (this.streams.isDraining) return 'draining';
    if (!this.isWoken && performance.now() - this.spokeAtMs >= this.silenceMs - this.earlyMs) {
      this.silenceMs = this.wholeSilenceMs;
      return 'silent';
    }
    this.isWoken = false;
    return 'woken';
  }

  /** An alarm that rings too early is set again then: most waits end before it does. */
  private arm(nowMs: number): void {
    if (this.alarmAtMs <= this.waitsUntilMs) return;
    this.disarm?.();
    this.alarmAtMs = this.waitsUntilMs;
    const isSilence = this.waitsUntilMs === this.spokeAtMs + this.silenceMs;
    if (isSilence && this.earlyMs === EARLY_MS) this.disarm = this.streams.alarms.set(this.alarmAtMs, this.ring);
    else {
      const timer = setTimeout(this.ring, this.waitsUntilMs - nowMs);
      // A literal assigned to the field would be one of V8's old objects at once, for each wait.
      const disarm = (): void => clearTimeout(timer);
      this.disarm = disarm;
    }
  }

  private readonly ring = (): void => {
    const nowMs = performance.now();
    this.alarmAtMs = Number.POSITIVE_INFINITY;
    if (this.waitsUntilMs - nowMs < this.earlyMs) this.settle();
    else if (this.waiting) this.arm(nowMs);
  };
}

/** Time between looks for namespaces that streams wait for: how late a first memory is sent at most. */
const LOOK_MS = 250;

type Settle = (failure?: { readonly error: unknown }) => void;

/**
 * Namespaces that do not exist yet: followers may start before the first memory creates them. Each is looked up once,
 * however many followers wait.
 */
export class AwaitedNamespaces {
  private readonly find: (name: string) => Promise<unknown>;
  private readonly waiting = new Map<string, Set<Settle>>();

  /** `find` fails with NAMESPACE_NOT_FOUND, and with STORAGE_UNAVAILABLE where it is not known. */
  constructor(find: (name: string) => Promise<unknown>) {
    this.find = find;
  }

  /** Whether it is certain that it is not there. */
  async isMissing(name: string): Promise<boolean> {
    try {
      await this.find(name);
      return false;
    } catch (error) {
      if (!isNamespaceMissing(error)) throw error;
      return true;
    }
  }

  /** Ends when the namespace is there; reports meanwhile that the stream has been silent, or has to end. */
  async *until(name: string, wait: StreamWait): AsyncGenerator<'silent' | 'draining', void, undefined> {
    let outcome: { readonly failure?: { readonly error: unknown } } | undefined;
    const leave = this.enter(name, (failure) => {
      outcome = failure ? { failure } : {};
      wait.wake();
    });
    try {
      while (!outcome) {
        const woken = await wait.next();
        if (woken === 'woken') continue;
        wait.spoke();
        yield woken;
      }
      if (outcome.failure) throw outcome.failure.error;
    } finally {
      leave();
    }
  }

  private enter(name: string, settle: Settle): () => void {
    const known = this.waiting.get(name);
    const all = known ?? new Set();
    all.add(settle);
    if (!known) {
      this.waiting.set(name, all);
      this.lookSoon(name);
    }
    return () => {
      all.delete(settle);
      if (all.size === 0 && this.waiting.get(name) === all) this.waiting.delete(name);
    };
  }

  private lookSoon(name: string): void {
    setTimeout(() => void this.look(name), LOOK_MS);
  }

  private async look(name: string): Promise<void> {
    const all = this.waiting.get(name);
    if (!all) return;
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.find(name);
    } catch (error) {
      // A store that is away is waited for like the namespace.
      if (isNamespaceMissing(error) || isUnavailable(error)) {
        this.lookSoon(name);
        return;
      }
      failure = { error };
    }
    if (this.waiting.get(name) === all) this.waiting.delete(name);
    for (const settle of [...all]) settle(failure);
  }
}
