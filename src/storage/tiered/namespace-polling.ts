import type { LogSource } from '../../change-log/change-log.ts';
import { isNamespaceMissing } from '../../memory/errors.ts';
import type { Follower } from './follower.ts';

export interface NamespacePollingOptions {
  /** Creates a namespace of the hot store here. */
  readonly adopt: (namespace: string) => Promise<unknown>;
  readonly follower: Follower;
  /** Interval of polls for writes of other servers, and of retries after a failure. */
  readonly pollMs: number;
  /** Called once when copies cannot be updated, and not again until they have been. */
  readonly onFailure: (namespace: string, error: unknown) => void;
}

const AT_ONCE = 16;

/** Updates the copies of watched namespaces, and retries after failures. */
export class NamespacePolling implements LogSource {
  private readonly options: NamespacePollingOptions;
  /** Number of watchers by namespace. */
  private readonly kept = new Map<string, number>();
  private readonly behind = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isStopped = false;

  constructor(options: NamespacePollingOptions) {
    this.options = options;
    options.follower.onFailure = (namespace, error) => this.fallBehind(namespace, error);
  }

  /** Polls the namespace soon, and repeatedly until one poll has succeeded. */
  begin(namespaces: Iterable<string>): void {
    for (const namespace of namespaces) this.behind.add(namespace);
    this.lookIn(0);
  }

  keep(namespace: string): () => void {
    this.kept.set(namespace, (this.kept.get(namespace) ?? 0) + 1);
    this.begin([namespace]);
    return () => {
      const count = (this.kept.get(namespace) ?? 0) - 1;
      if (count > 0) this.kept.set(namespace, count);
      else this.kept.delete(namespace);
    };
  }

  async adopt(namespace: string): Promise<void> {
    await this.options.adopt(namespace);
  }

  reach(namespace: string, revision: number): Promise<void> {
    return this.options.follower.reach(namespace, revision);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private lookIn(delayMs: number): void {
    if (this.isStopped || this.looking || this.kept.size + this.behind.size === 0) return;
    if (this.timer && delayMs > 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.looking = this.look().finally(() => {
        this.looking = undefined;
        this.lookIn(this.options.pollMs);
      });
    }, delayMs);
    // Timers do not keep the process alive.
    this.timer.unref();
  }

  private async look(): Promise<void> {
    const names = [...new Set([...this.kept.keys(), ...this.behind])];
    for (let from = 0; from < names.length && !this.isStopped; from += AT_ONCE) {
      await Promise.all(names.slice(from, from + AT_ONCE).map((name) => this.lookAt(name)));
    }
  }

  private async lookAt(namespace: string): Promise<void> {
    try {
      await this.options.follower.catchUp(namespace);
      this.behind.delete(namespace);
    } catch (error) {
      this.fallBehind(namespace, error);
    }
  }

  private fallBehind(namespace: string, error: unknown): void {
    // The target namespace does not exist.
    if (isNamespaceMissing(error)) {
      this.behind.delete(namespace);
      return;
    }
    if (!this.behind.has(namespace)) this.options.onFailure(namespace, error);
    this.behind.add(namespace);
    this.lookIn(this.options.pollMs);
  }
}
