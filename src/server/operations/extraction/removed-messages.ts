import { outsideCall } from '../../../storage/current-call.ts';
import type { ExtractionDeps } from './extraction-deps.ts';

/** Messages of one write. */
const BATCH = 200;
const RETRY_MS = 1000;

/** Messages that were removed, until what only they said is withdrawn. */
export class RemovedMessages {
  private readonly deps: ExtractionDeps;
  private readonly namespace: string;
  private readonly onDone: (revisions: readonly number[]) => void;
  private readonly stopping: AbortSignal;
  /** Ids of their memories, by revision of the removal, in order. */
  private readonly waiting = new Map<number, string>();
  private running: Promise<void> | undefined;

  constructor(
    deps: ExtractionDeps,
    namespace: string,
    onDone: (revisions: readonly number[]) => void,
    stopping: AbortSignal,
  ) {
    this.deps = deps;
    this.namespace = namespace;
    this.onDone = onDone;
    this.stopping = stopping;
  }

  get count(): number {
    return this.waiting.size;
  }

  add(revision: number, id: string): void {
    this.waiting.set(revision, id);
    this.start();
  }

  hasUpTo(revision: number): boolean {
    for (const first of this.waiting.keys()) return first <= revision;
    return false;
  }

  private start(): void {
    if (this.stopping.aborted || this.waiting.size === 0) return;
    this.running ??= outsideCall(() => this.run());
  }

  /** Does not reject. */
  private async run(): Promise<void> {
    const { deps, namespace, stopping, waiting } = this;
    try {
      while (waiting.size > 0 && !stopping.aborted) await this.withdraw([...waiting].slice(0, BATCH));
    } catch (error) {
      if (stopping.aborted) return;
      deps.onFault(error, namespace);
      deps.timing.setTimer(() => this.start(), RETRY_MS);
    } finally {
      // In the turn that found nothing left: a message that is added next begins another run.
      this.running = undefined;
    }
  }

  private async withdraw(batch: readonly (readonly [number, string])[]): Promise<void> {
    const { deps, namespace, stopping, waiting } = this;
    await deps.sink.withdraw(namespace, [...new Set(batch.map(([, id]) => id))], stopping);
    for (const [revision] of batch) waiting.delete(revision);
    this.onDone(batch.map(([revision]) => revision));
  }
}
