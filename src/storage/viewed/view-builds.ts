import type { Clock } from '../../memory/clock.ts';
import { isDraining, isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { Slots } from '../slots.ts';
import type { InTurn } from './viewed-options.ts';

/** Parts of builds that run at a time: one is read while another is written. */
const PARTS_AT_ONCE = 2;

/** Builds of the views of namespaces since the start of the server. */
export interface BuildCounts {
  readonly runningCount: number;
  readonly doneCount: number;
  readonly failedCount: number;
  /** Of builds that are done. */
  readonly seconds: number;
}

/**
 * Views of namespaces that are built. They take turns: each waits for its next part behind all others, so that a large
 * namespace holds up no small one.
 */
export class ViewBuilds {
  readonly inTurn: InTurn;
  private readonly clock: Clock;
  private readonly waitMs: number;
  private readonly running = new Map<string, Micros>();
  private doneCount = 0;
  private failedCount = 0;
  private doneUs = 0;
  private isEnded = false;

  constructor(clock: Clock, waitMs: number) {
    this.clock = clock;
    this.waitMs = waitMs;
    const slots = new Slots(PARTS_AT_ONCE);
    this.inTurn = (part) =>
      slots.run(async () => {
        if (this.isEnded) throw new MnemeError('DRAINING', 'the server is shutting down');
        return part();
      });
  }

  /** Parts that have not begun fail with DRAINING: a build goes on after the next start. */
  end(): void {
    this.isEnded = true;
  }

  get counts(): BuildCounts {
    const { running, doneCount, failedCount, doneUs } = this;
    return { runningCount: running.size, doneCount, failedCount, seconds: doneUs / 1e6 };
  }

  async run<T>(namespace: string, build: () => Promise<T>): Promise<T> {
    const startedAtUs = this.clock.nowUs();
    this.running.set(namespace, startedAtUs);
    try {
      const built = await build();
      this.doneCount++;
      this.doneUs += Math.max(0, this.clock.nowUs() - startedAtUs);
      return built;
    } catch (error) {
      if (!isNamespaceMissing(error) && !isDraining(error)) this.failedCount++;
      throw error;
    } finally {
      this.running.delete(namespace);
    }
  }

  /** Waits for a build, but not for long: then it fails with STORAGE_UNAVAILABLE, and the build goes on. */
  async waitFor<T>(namespace: string, built: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(stillBuilt(namespace)), this.waitMs);
    });
    try {
      return await Promise.race([built, tooLong]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function stillBuilt(namespace: string): MnemeError {
  return new MnemeError(
    'STORAGE_UNAVAILABLE',
    `the view of namespaces/${namespace} is being built at this server: try again`,
    { metadata: { backend: 'view', fault: 'building' } },
  );
}
