import type { Clock } from '../../../memory/clock.ts';
import { MnemeError } from '../../../memory/errors.ts';
import {
  type Capacity,
  type Extracted,
  type ExtractionBatch,
  ExtractionReturned,
  type Extractor,
} from '../../extraction/extractor.ts';
import { type AwaitedJob, type ExtractionJob, jobBatches } from './extraction-job.ts';

/** A connected client that extracts. */
export interface ExtractorClient {
  readonly namespace: string;
  /** Empty: none. */
  readonly name: string;
  /** Jobs that it has in hand at once. */
  readonly jobsMax: number;
  /** Sends it a job. */
  give(job: ExtractionJob): void;
  /** The job is no longer its own. */
  withdraw(jobId: string, why: string): void;
}

export interface ClientExtractorOptions {
  readonly clock: Clock;
  newId(): string;
  /** Longest time of one extraction. */
  readonly timeoutMs: number;
  /** Clients that serve at once, of all namespaces. */
  readonly clientsMax: number;
}

/** A client that serves, and the jobs that it has in hand. */
export class ServingClient {
  readonly client: ExtractorClient;
  readonly jobs = new Map<string, AwaitedJob>();
  private readonly onFree: () => void;

  constructor(client: ExtractorClient, onFree: () => void) {
    this.client = client;
    this.onFree = onFree;
  }

  get isFree(): boolean {
    return this.jobs.size < this.client.jobsMax;
  }

  /** Name that results are stored with. */
  get origin(): string {
    const { name } = this.client;
    return name === '' ? 'client' : `client.${name}`;
  }

  give(job: AwaitedJob): void {
    this.jobs.set(job.id, job);
    this.client.give(job);
  }

  /** The job in hand with this id, which the client has none of any more; undefined where it has none. */
  take(jobId: string): AwaitedJob | undefined {
    const job = this.jobs.get(jobId);
    if (this.jobs.delete(jobId)) this.onFree();
    return job;
  }

  /** The answer to a job cannot be used, or the client could give none. */
  refuse(job: AwaitedJob, reason: 'EXTRACTION_INVALID' | 'EXTRACTOR_UNAVAILABLE', why: string): void {
    job.reject(new MnemeError(reason, `${this.origin}: ${why}`, { metadata: { extractor: this.origin } }));
  }
}

/**
 * Has the clients that serve a namespace extract. Its clients get jobs in turn; each job is with one client at a time.
 * A job whose client leaves is returned.
 */
export class ClientExtractor implements Extractor {
  readonly name = 'client';
  private readonly options: ClientExtractorOptions;
  /** By namespace; the client that got a job last is at the end. */
  private readonly serving = new Map<string, Set<ServingClient>>();
  private readonly waiting = new Map<string, Set<AwaitedJob>>();
  private readonly listeners = new Set<(namespace: string) => void>();
  private count = 0;

  constructor(options: ClientExtractorOptions) {
    this.options = options;
  }

  /** Calls back when a client begins to serve a namespace. */
  onServed(listener: (namespace: string) => void): void {
    this.listeners.add(listener);
  }

  capacity(namespace: string): Capacity {
    let jobsMax = 0;
    for (const { client } of this.serving.get(namespace) ?? []) jobsMax += client.jobsMax;
    return jobsMax > 0 ? { jobsMax } : { jobsMax, outage: unserved() };
  }

  /** The client gets jobs until it leaves. Fails with TOO_MANY_STREAMS. */
  join(client: ExtractorClient): ServingClient {
    const { clientsMax } = this.options;
    if (this.count >= clientsMax) {
      const limit = String(clientsMax);
      throw new MnemeError('TOO_MANY_STREAMS', `the server has reached its limit of ${limit} extractor clients`, {
        metadata: { limit },
      });
    }
    const { namespace } = client;
    const serving = new ServingClient(client, () => this.assign(namespace));
    const all = this.serving.get(namespace) ?? new Set();
    this.serving.set(namespace, all.add(serving));
    this.count++;
    this.assign(namespace);
    for (const listener of this.listeners) listener(namespace);
    return serving;
  }

  /** Jobs that the client has in hand are due again. Idempotent. */
  leave(serving: ServingClient): void {
    const { namespace } = serving.client;
    const all = this.serving.get(namespace);
    if (!all?.delete(serving)) return;
    this.count--;
    const returned = [...serving.jobs.values()];
    serving.jobs.clear();
    if (all.size === 0) {
      this.serving.delete(namespace);
      returned.push(...(this.waiting.get(namespace) ?? []));
      this.waiting.delete(namespace);
    }
    for (const job of returned) job.reject(new ExtractionReturned(`${serving.origin} left before it answered`));
  }

  async extract(batch: ExtractionBatch, signal: AbortSignal): Promise<Extracted> {
    const { clock, timeoutMs } = this.options;
    const deadlineAtUs = clock.nowUs() + timeoutMs * 1000;
    const results: Extracted[] = [];
    for (const part of jobBatches(batch)) results.push(await this.answered(part, deadlineAtUs, signal));
    return {
      claims: results.flatMap(({ claims }) => claims),
      notes: results.flatMap(({ notes }) => notes),
      origin: results.at(-1)?.origin ?? this.name,
    };
  }

  private async answered(batch: ExtractionBatch, deadlineAtUs: number, signal: AbortSignal): Promise<Extracted> {
    signal.throwIfAborted();
    const { namespace } = batch;
    if (!this.serving.has(namespace)) throw unserved();
    const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
    const job: AwaitedJob = { id: this.options.newId(), batch, deadlineAtUs, resolve, reject };
    const withdraw = () => this.withdraw(job, signal.reason);
    signal.addEventListener('abort', withdraw, { once: true });
    const waiting = this.waiting.get(namespace) ?? new Set();
    this.waiting.set(namespace, waiting.add(job));
    this.assign(namespace);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }

  /** Gives waiting jobs to free clients, one each in turn. */
  private assign(namespace: string): void {
    const waiting = this.waiting.get(namespace);
    for (const job of waiting ?? []) {
      const all = this.serving.get(namespace);
      const next = [...(all ?? [])].find(({ isFree }) => isFree);
      if (!all || !next) return;
      waiting?.delete(job);
      all.delete(next);
      all.add(next);
      next.give(job);
    }
    if (waiting?.size === 0) this.waiting.delete(namespace);
  }

  private withdraw(job: AwaitedJob, reason: unknown): void {
    const { namespace } = job.batch;
    job.reject(reason);
    this.waiting.get(namespace)?.delete(job);
    for (const serving of this.serving.get(namespace) ?? []) {
      if (serving.jobs.get(job.id) !== job) continue;
      serving.client.withdraw(job.id, reason instanceof Error ? reason.message : 'the server does not wait any longer');
      serving.take(job.id);
    }
  }
}

function unserved(): MnemeError {
  return new MnemeError('EXTRACTOR_UNAVAILABLE', 'no client serves the extractor of the namespace', {
    metadata: { extractor: 'client' },
  });
}
