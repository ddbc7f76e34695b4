import type { Clock } from '../../memory/clock.ts';
import { inTrace, openingTracer } from '../../search/threads/span.ts';
import { outsideCall } from '../../storage/current-call.ts';
import type { SubscriptionStore } from '../../storage/subscription-store.ts';
import type { Logger } from '../logger.ts';
import type { BackendHealth } from '../operations/admin/backend-health.ts';
import { eraseExpired } from '../operations/memories/forget.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import type { LogRetention } from '../operations/streams/log-retention.ts';
import type { OpenSubscriptions } from '../operations/streams/open-subscriptions.ts';
import { type Leased, unshared, type Work } from './leased-work.ts';

/** Runs some work again and again, never twice at once: after a delay that the work itself names, or when it is woken. */
export class RepeatingJob {
  private readonly work: (signal: AbortSignal) => Promise<number>;
  private readonly name: string;
  private readonly tracer = openingTracer();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWoken = false;

  /**
   * `work` resolves to the milliseconds until it wants to run again and must not reject. `name`: of its traces; empty for a
   * probe that is too frequent for traces.
   */
  constructor(work: (signal: AbortSignal) => Promise<number>, name = '') {
    this.work = work;
    this.name = name;
  }

  start(delayMs: number): void {
    if (this.stopping.signal.aborted) return;
    this.timer = setTimeout(() => this.wake(), delayMs);
    // The timer does not keep the process alive.
    this.timer.unref();
  }

  /** Runs the work now, or once more as soon as it is done. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.isWoken = true;
    // A call may have woken it.
    this.running ??= outsideCall(() => this.run());
  }

  /** Aborts the current run and resolves when it has ended; nothing runs afterwards. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let delayMs = 0;
    while (this.isWoken && !signal.aborted) {
      this.isWoken = false;
      clearTimeout(this.timer);
      delayMs = await this.runOnce(signal);
    }
    this.running = undefined;
    this.start(delayMs);
  }

  private runOnce(signal: AbortSignal): Promise<number> {
    const tracer = this.name === '' ? undefined : this.tracer;
    return inTrace(
      tracer,
      () => ({ name: `job ${this.name}` }),
      () => this.work(signal),
    );
  }
}

/** Erases expired memories every so often, batch after batch while there are any. */
export function expiryJob(
  deps: Pick<MemoryDeps, 'store' | 'clock'>,
  intervalMs: number,
  logger: Logger,
  leased: Leased = unshared,
): RepeatingJob {
  const work: Work = async (signal) => {
    try {
      const { erasedCount, isDone } = await eraseExpired(deps);
      if (erasedCount > 0) logger.debug({ count: erasedCount }, 'expired memories erased');
      return isDone ? intervalMs : 0;
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'expired memories could not be erased');
      return intervalMs;
    }
  };
  return new RepeatingJob(leased(work), 'expiry');
}

export interface LogJobDeps {
  readonly retention: LogRetention;
  readonly subscriptions: SubscriptionStore;
  readonly open: OpenSubscriptions;
  readonly clock: Clock;
}

/** Compacts the change log to its limits, and deletes consumers of subscriptions that were not seen for long. */
export function logJob(
  { retention, subscriptions, open, clock }: LogJobDeps,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      const { isDone, forgottenCount } = await retention.enforce();
      if (forgottenCount > 0) logger.debug({ count: forgottenCount }, 'changes forgotten');
      // A connected consumer counts as seen, however long it has sent nothing.
      await open.save();
      const consumers = await subscriptions.forgetConsumers({ atUs: clock.nowUs() });
      if (consumers > 0) logger.info({ count: consumers }, 'consumers forgotten that were not seen for long');
      return isDone ? intervalMs : 0;
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'the change log could not be kept within its limits');
      return intervalMs;
    }
  }, 'change log compaction');
}

/** Deletes old entries of a log that several servers follow, beyond its limits. */
export function logTrimJob(
  trim: (signal: AbortSignal) => Promise<number>,
  intervalMs: number,
  logger: Logger,
  leased: Leased,
): RepeatingJob {
  const work: Work = async (signal) => {
    try {
      const count = await trim(signal);
      if (count > 0) logger.debug({ count }, 'changes deleted from the shared log');
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'the shared log could not be kept within its limits');
    }
    return intervalMs;
  };
  return new RepeatingJob(leased(work), 'trimming of the shared log');
}

/** Probes a backend at an interval, and reports when that changed which services serve. */
export function healthJob(
  backend: BackendHealth,
  intervalMs: number,
  onChange: () => void,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      if (await backend.look()) onChange();
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'a backend could not be probed');
    }
    return intervalMs;
  });
}
