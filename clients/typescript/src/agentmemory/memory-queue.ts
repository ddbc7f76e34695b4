import { randomUUID } from 'node:crypto';
import { Content } from '../content.ts';
import { CancelledError, MnemeError } from '../errors.ts';
import type { NewMemory } from '../memory.ts';
import { PreciseDate } from '../precise-date.ts';
import { sleep } from '../streams/timing.ts';
import type { Engine } from './engine.ts';
import { MemoryAPIException, MemoryStoreException } from './errors.ts';

const BATCH = 200;
const BATCH_BYTES = 2 ** 20;
/** Largest content that the server takes. */
const CONTENT_BYTES_MAX = 2 ** 20;
const BACKOFF_MS = { first: 50, last: 5_000 };
const DOUBLINGS_MAX = 10;
const CALL_TIMEOUT_MS = 10_000;
const UNANSWERED = 'closed while the server did not answer; it may have stored them';
/** Most memories that a report names one by one. */
const NAMED_MAX = 1_000;

/** A memory of a hook, to be stored. */
export interface QueuedMemory {
  readonly agentId: string;
  readonly memoryType: string;
  readonly stepNumber: number;
  /** JSON. */
  readonly json: string;
  readonly priority: number;
  /** When it happened, in seconds since 1970. */
  readonly at: number;
}

/** A memory that was not stored, and will not be. */
export interface NotStored {
  readonly agentId: string;
  readonly memoryType: string;
  readonly stepNumber: number;
  readonly reason: string;
}

/** Memories of hooks since their API was made. */
export interface FlushReport {
  readonly stored: number;
  /** Memories that wait, because the server does not answer or the time was over. */
  readonly pending: number;
  /** Memories that were given up. */
  readonly notStored: number;
  /** The first 1,000 memories that were given up. */
  readonly failures: readonly NotStored[];
  /** Why memories wait: the last failure of the server. Absent when it answers. */
  readonly lastError?: string;
  /** True when every memory is stored. */
  readonly complete: boolean;
}

/** Memories of hooks on their way to the server, in the order of `put`. `put` neither waits nor throws. */
export class MemoryQueue {
  readonly #engine: Engine;
  readonly #limit: number;
  readonly #bytesLimit: number;
  #waiting: { readonly memory: QueuedMemory; readonly bytes: number }[] = [];
  #bytes = 0;
  #batch: readonly QueuedMemory[] = [];
  #stored = 0;
  #notStored = 0;
  readonly #failures: NotStored[] = [];
  #lastError: string | undefined;
  #isClosed = false;
  #isRunning = false;
  /** Flushes that wait: the next attempts do not wait for the server to recover. */
  #hurried = 0;
  #pause = new AbortController();
  /** Called when nothing waits any more. */
  readonly #idle = new Set<() => void>();

  constructor(engine: Engine, limit: number, bytesLimit: number) {
    this.#engine = engine;
    this.#limit = limit;
    this.#bytesLimit = bytesLimit;
  }

  /** Memories that are not stored or given up yet. */
  get pending(): number {
    return this.#waiting.length + this.#batch.length;
  }

  /** Queues a memory. Beyond a limit it is given up, which `flush` reports. */
  put(memory: QueuedMemory): void {
    const bytes = Buffer.byteLength(memory.json);
    const problem = this.#problemOf(bytes);
    if (problem !== undefined) {
      this.#giveUp([memory], problem);
      return;
    }
    this.#waiting.push({ memory, bytes });
    this.#bytes += bytes;
    if (this.#isRunning) return;
    this.#isRunning = true;
    // The memories of one turn of the event loop go in one batch.
    setImmediate(() => void this.#run());
  }

  #problemOf(bytes: number): string | undefined {
    const written = (value: number) => value.toLocaleString('en-US');
    if (this.#isClosed) return 'the API is closed';
    if (bytes > CONTENT_BYTES_MAX) return `its ${written(bytes)} bytes exceed ${written(CONTENT_BYTES_MAX)}`;
    if (this.pending >= this.#limit) return `the queue has ${written(this.#limit)} memories`;
    if (this.#bytes + bytes > this.#bytesLimit)
      return `the queue has ${written(this.#bytes)} of ${written(this.#bytesLimit)} bytes`;
    return undefined;
  }

  /** Waits until every memory is stored or given up, at most so long. */
  async flush(timeoutMs: number): Promise<FlushReport> {
    if (this.pending > 0) {
      this.#hurried += 1;
      this.#pause.abort();
      await new Promise<void>((resolve) => {
        const notify = () => {
          cancel();
          this.#idle.delete(notify);
          resolve();
        };
        const cancel = this.#engine.timing.setTimer(notify, timeoutMs);
        this.#idle.add(notify);
      });
      this.#hurried -= 1;
    }
    return this.#report();
  }

  /** Flushes, and gives up what is left. Idempotent. */
  async close(timeoutMs: number): Promise<FlushReport> {
    await this.flush(timeoutMs);
    this.#isClosed = true;
    const left = this.#waiting.map(({ memory }) => memory);
    this.#waiting = [];
    this.#bytes = 0;
    const problem = this.#lastError ?? 'the server was too slow';
    if (left.length > 0) this.#giveUp(left, `closed after ${timeoutMs} ms: ${problem}`);
    this.#engine.stop();
    this.#pause.abort();
    // The cancelled call ends at once, and its batch is given up.
    if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.add(resolve));
    return this.#report();
  }

  #report(): FlushReport {
    const { pending } = this;
    return {
      stored: this.#stored,
      pending,
      notStored: this.#notStored,
      failures: [...this.#failures],
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      complete: pending === 0 && this.#notStored === 0,
    };
  }

  #giveUp(memories: readonly QueuedMemory[], reason: string): void {
    const isFirst = this.#notStored === 0;
    this.#notStored += memories.length;
    for (const { agentId, memoryType, stepNumber } of memories.slice(0, NAMED_MAX - this.#failures.length))
      this.#failures.push({ agentId, memoryType, stepNumber, reason });
    // Every memory beyond a full queue is not worth a line; powers of two are.
    if (!isFirst && memories.length === 1 && !Number.isInteger(Math.log2(this.#notStored))) return;
    const steps = memories.map(({ stepNumber }) => stepNumber);
    const agents = [...new Set(memories.map(({ agentId }) => agentId))].sort().join(', ');
    const range = `steps ${steps.reduce((a, b) => Math.min(a, b))} to ${steps.reduce((a, b) => Math.max(a, b))}`;
    const text = `${memories.length} memories of ${agents} (${range}) were not stored: ${reason}`;
    this.#engine.log.write('WARNING', `${text}; ${this.#notStored} in all`);
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#batch = this.#nextBatch();
      try {
        await this.#send(this.#batch);
      } catch (error) {
        this.#engine.log.write('ERROR', 'memories of hooks could not be sent', error);
        this.#giveUp(this.#batch, String(error));
      }
      this.#batch = [];
    }
    this.#isRunning = false;
    for (const notify of this.#idle) notify();
    this.#idle.clear();
  }

  #nextBatch(): QueuedMemory[] {
    let count = 0;
    let size = 0;
    for (const { bytes } of this.#waiting) {
      if (count === BATCH || (count > 0 && size + bytes > BATCH_BYTES)) break;
      count += 1;
      size += bytes;
    }
    this.#bytes -= size;
    return this.#waiting.splice(0, count).map(({ memory }) => memory);
  }

  /** Stores the batch, once, however often the server has to be asked. */
  async #send(batch: readonly QueuedMemory[]): Promise<void> {
    const requestId = randomUUID();
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#store(batch, requestId);
        return;
      } catch (error) {
        if (!(error instanceof MnemeError) && !(error instanceof MemoryAPIException)) throw error;
        if (this.#isClosed) {
          this.#giveUp(batch, `${UNANSWERED}: ${error.message}`);
          return;
        }
        if (!mayPass(error)) {
          if (batch.length === 1) this.#giveUp(batch, error.message);
          else for (const memory of batch) await this.#send([memory]);
          return;
        }
        await this.#wait(error, attempt);
      }
    }
  }

  async #store(batch: readonly QueuedMemory[], requestId: string): Promise<void> {
    const { signal } = this.#engine;
    if (signal.aborted) throw new CancelledError('CANCELLED', 'the API is closed');
    const client = await this.#engine.ready(MemoryStoreException, 'hooks');
    await client.batchStore(batch.map(memoryOf), { requestId, signal, timeoutMs: CALL_TIMEOUT_MS });
    this.#stored += batch.length;
    if (this.#lastError !== undefined)
      this.#engine.log.write('INFO', `the server answers again; ${this.#waiting.length} memories wait`);
    this.#lastError = undefined;
    const counts = new Map<string, number>();
    for (const { agentId } of batch) counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
    for (const [agent, count] of counts) await this.#engine.stored(agent, count);
  }

  /** Waits before the next attempt, or until a flush hurries or the queue is closed. */
  async #wait(error: Error, attempt: number): Promise<void> {
    if (this.#lastError === undefined)
      this.#engine.log.write('WARNING', `${this.pending} memories wait: ${error.message}`);
    this.#lastError = error.message;
    this.#pause = new AbortController();
    if (this.#hurried > 0) {
      await sleep(this.#engine.timing, BACKOFF_MS.first, this.#pause.signal);
      return;
    }
    const delay = Math.min(BACKOFF_MS.last, BACKOFF_MS.first * 2 ** Math.min(attempt, DOUBLINGS_MAX));
    await sleep(this.#engine.background, delay, this.#pause.signal);
  }
}

/** True for failures after which the same call may succeed. */
function mayPass(error: MnemeError | MemoryAPIException): boolean {
  const codes = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'];
  if (error instanceof MnemeError) return error.retryable || codes.includes(error.code);
  return error instanceof MemoryStoreException && codes.includes(error.context.code ?? '');
}

function memoryOf({ agentId, memoryType, stepNumber, json, priority, at }: QueuedMemory): NewMemory {
  return {
    scope: { agent: agentId },
    type: memoryType,
    step: stepNumber,
    eventTime: new PreciseDate(Math.round(at * 1e6)),
    content: new Content('application/json', json),
    importance: priority,
    priority,
  };
}
