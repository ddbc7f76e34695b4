import { type Clock, secondsOf } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { Embedder } from '../../search/embedding/embedder.ts';
import type { Logger } from '../logger.ts';

/** Notes whether an embedder answers, whatever it is asked for, and logs when that changes. */
export class WatchedEmbedder implements Embedder {
  private readonly embedder: Embedder;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private failing: { readonly sinceUs: Micros; readonly reason: string } | undefined;

  constructor(embedder: Embedder, clock: Clock, logger: Logger) {
    this.embedder = embedder;
    this.clock = clock;
    this.logger = logger;
  }

  get kind() {
    return this.embedder.kind;
  }
  get model(): string {
    return this.embedder.model;
  }
  get dimension(): number {
    return this.embedder.dimension;
  }
  get inline(): boolean {
    return this.embedder.inline;
  }
  get isDerived(): boolean {
    return this.embedder.isDerived;
  }
  get laneWeight(): number {
    return this.embedder.laneWeight;
  }

  /** Why it does not answer; `undefined` while it does. */
  get failure(): string | undefined {
    return this.failing?.reason;
  }

  /** The problem, its start, and what is served meanwhile, for operators; `undefined` while it answers. */
  get degraded(): string | undefined {
    if (!this.failing) return undefined;
    const { reason, sinceUs } = this.failing;
    return `embedder: ${reason} (since ${secondsOf(sinceUs)}); ${SERVED}`;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    try {
      const vectors = await this.embedder.embed(texts, signal);
      if (texts.length > 0) this.succeeded();
      return vectors;
    } catch (error) {
      const isAway = error instanceof MnemeError && error.reason === 'EMBEDDER_UNAVAILABLE' && this.kind !== 'none';
      if (isAway && !signal.aborted) this.failed(error);
      throw error;
    }
  }

  private succeeded(): void {
    if (!this.failing) return;
    this.failing = undefined;
    this.logger.info('the embedder works again');
  }

  private failed({ message: reason }: MnemeError): void {
    if (!this.failing) this.logger.warn({ reason, served: SERVED }, 'the embedder does not answer');
    this.failing = { sinceUs: this.failing?.sinceUs ?? this.clock.nowUs(), reason };
  }
}

const SERVED = 'memories are stored and found by their words, and get their vectors later';
