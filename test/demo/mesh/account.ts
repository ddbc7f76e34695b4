import { SignalAccount } from './signal-account.ts';
import { SIGNALS } from './signals.ts';
import { WorkAccount } from './work-account.ts';

/** A message of a caller, one object a line; README.md describes them. */
export interface Told {
  readonly ready?: true;
  readonly rested?: true;
  /** A call that succeeded, or failed, with its times by the clock of the machine. */
  readonly done?: string;
  readonly failed?: string;
  readonly beganMs?: number;
  readonly endedMs?: number;
  readonly code?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly retryable?: boolean;
  /** An acknowledged write. */
  readonly wrote?: 'stored' | 'updated' | 'deleted' | 'set';
  readonly namespace?: string;
  readonly id?: string;
  readonly text?: string;
  readonly tags?: readonly string[];
  /** A change that a watch brought. */
  readonly saw?: string;
  /** A change that a durable subscription delivered. */
  readonly delivered?: string;
  /** A change that the work queue delivered to a worker. */
  readonly worked?: string;
  /** A namespace whose work queue a worker has left, after the server had its acknowledgements. */
  readonly left?: string;
  /** What is new in the answer of a standing query: that it has a memory, with its text, or lacks it. */
  readonly answered?: 'has' | 'lacks';
  readonly broken?: string;
  readonly wrong?: string;
}

export interface Failure {
  readonly caller: string;
  readonly call: string;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly status: string;
  readonly message: string;
  readonly isRetryable: boolean;
}

/** A time in which something was broken on purpose. */
export interface FaultWindow {
  readonly name: string;
  readonly startMs: number;
  /** Infinite while it lasts. */
  endMs: number;
  /** Calls may fail in it. */
  readonly mayFail: boolean;
}

/** Where memory ids stand in the logs of all namespaces; an id is of one caller and one namespace. */
function keyOf(namespace = '', id = ''): string {
  return `${namespace}/${id}`;
}

/** What all callers have said. */
export class Account {
  /** Acknowledged changes of each memory, in order, by namespace and id. */
  readonly changes = new Map<string, string[]>();
  /** Texts of memories that must be there, by namespace and id. */
  readonly texts = new Map<string, string>();
  /** Last value of each session as JSON, by namespace and session. */
  readonly values = new Map<string, string>();
  /** Changes that each watch brought, in order, as `kind namespace/id`; by caller and namespace. */
  readonly seen = new Map<string, string[]>();
  readonly signals = new SignalAccount();
  readonly work = new WorkAccount();
  readonly failures: Failure[] = [];
  readonly windows: FaultWindow[] = [];
  readonly wrong: string[] = [];
  readonly latenciesMs = new Map<string, number[]>();
  /** How often streams broke, by status and by what was broken then. */
  readonly broken = new Map<string, number>();
  private readonly successes = new Map<string, number>();
  private countedFromMs = 0;

  hear(caller: string, told: Told): void {
    const { done, failed, wrote, saw, broken, wrong, beganMs = 0, endedMs = 0 } = told;
    if (done !== undefined) {
      this.noteLatency(done, endedMs - beganMs);
      if (beganMs >= this.countedFromMs) this.successes.set(caller, (this.successes.get(caller) ?? 0) + 1);
    }
    if (failed !== undefined) {
      const { code, reason, message = '', retryable = false } = told;
      const status = `${code} ${reason === '' ? 'without a reason' : reason}`;
      this.failures.push({ caller, call: failed, beganMs, endedMs, status, message, isRetryable: retryable });
    }
    if (wrote === 'set') this.values.set(keyOf(told.namespace, told.id), JSON.stringify(told.text));
    else if (wrote !== undefined) this.noteWrite(keyOf(told.namespace, told.id), wrote, told.text ?? '');
    if (told.tags?.includes(SIGNALS.tag)) this.signals.stored.add(keyOf(told.namespace, told.id));
    this.work.hear(keyOf(told.namespace, told.id), told);
    const stream = `${caller}/${told.namespace}`;
    this.signals.hear(stream, keyOf(told.namespace, told.id), told);
    if (saw !== undefined) {
      const before = this.seen.get(stream) ?? [];
      if (before.length === 0) this.seen.set(stream, before);
      before.push(`${saw} ${keyOf(told.namespace, told.id)}`);
    }
    if (broken !== undefined) this.noteBroken(broken);
    if (wrong !== undefined) this.wrong.push(`${caller}: ${wrong}`);
  }

  /** Counts only calls that begin from now on. */
  countAnew(): void {
    this.countedFromMs = Date.now();
    this.successes.clear();
  }

  successesOf(caller: string): number {
    return this.successes.get(caller) ?? 0;
  }

  /** Whether a signal has arrived at all subscribers to a namespace, at the watch as the last change. */
  hasArrived(caller: string, namespace: string, id: string): boolean {
    const [stream, key] = [`${caller}/${namespace}`, keyOf(namespace, id)];
    return this.seen.get(stream)?.at(-1) === `stored ${key}` && this.signals.has(stream, key);
  }

  begin(name: string, mayFail: boolean): FaultWindow {
    const window = { name, startMs: Date.now(), endMs: Number.POSITIVE_INFINITY, mayFail };
    this.windows.push(window);
    return window;
  }

  /** A write that the demo itself made. */
  noteWrite(key: string, change: string, text: string): void {
    const changes = this.changes.get(key) ?? [];
    if (changes.length === 0) this.changes.set(key, changes);
    changes.push(change);
    if (change === 'deleted') this.texts.delete(key);
    else this.texts.set(key, text);
  }

  private noteBroken(status: string): void {
    const now = this.windows.findLast(({ endMs }) => endMs > Date.now())?.name ?? 'nothing broken';
    const key = `${status} (${now})`;
    this.broken.set(key, (this.broken.get(key) ?? 0) + 1);
  }

  private noteLatency(call: string, ms: number): void {
    const latencies = this.latenciesMs.get(call) ?? [];
    if (latencies.length === 0) this.latenciesMs.set(call, latencies);
    latencies.push(ms);
  }
}
