import { isUnavailable } from '../../memory/errors.ts';
import type { RedisConnection } from './connection.ts';
import { type RedisDurability, readDurability } from './durability.ts';

export interface WatchedDurabilityOptions {
  readonly connection: RedisConnection;
  /** Time between attempts to read it while Redis does not answer. */
  readonly retryAfterMs: number;
  /** Told when it is another than it was. */
  readonly onChange?: (now: RedisDurability) => void;
  /** Told when it cannot be read though Redis answers. */
  readonly onFault?: (error: unknown) => void;
}

/** What writes to a Redis survive, as it was when that was last asked: a Redis that was started again may have other settings. */
export class WatchedDurability {
  /** As it was last read. */
  current: RedisDurability;
  private readonly options: WatchedDurabilityOptions;
  private isStale = false;
  private reading: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  private constructor(options: WatchedDurabilityOptions, current: RedisDurability) {
    this.options = options;
    this.current = current;
  }

  static async read(options: WatchedDurabilityOptions): Promise<WatchedDurability> {
    return new WatchedDurability(options, await readDurability(options.connection));
  }

  /** False also from the moment on when it may be another, until it is read. */
  get isReliable(): boolean {
    return !this.isStale && !this.reading && this.current.isReliable;
  }

  /** To be called when Redis is another process, or has lost something. Read until it is known. */
  readAgain(): void {
    this.isStale = true;
    if (this.isStopped || this.reading) return;
    clearTimeout(this.timer);
    this.reading = this.readNow();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.reading;
  }

  private async readNow(): Promise<void> {
    try {
      while (this.isStale && !this.isStopped) {
        this.isStale = false;
        this.note(await readDurability(this.options.connection));
      }
    } catch (error) {
      this.isStale = true;
      if (!isUnavailable(error)) this.options.onFault?.(error);
      else if (!this.isStopped) this.timer = setTimeout(() => this.readAgain(), this.options.retryAfterMs).unref();
    } finally {
      // In the same moment as the last look at whether it is stale.
      this.reading = undefined;
    }
  }

  private note(now: RedisDurability): void {
    const isSame = JSON.stringify(now) === JSON.stringify(this.current);
    this.current = now;
    if (!isSame) this.options.onChange?.(now);
  }
}
