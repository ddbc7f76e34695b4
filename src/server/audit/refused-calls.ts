import type { AuditedOperation, RefusedCalls } from '../../memory/audit-record.ts';

/** Period in which refused calls of one identity and method share a line. */
const PERIOD_MS = 60_000;
/** Pairs of an identity and a method with lines of their own in a period; all others share one line. */
const LINES_MAX = 100;
/** Namespaces that a shared line names. */
const NAMESPACES_MAX = 20;

interface Shared {
  last: AuditedOperation;
  outcome: string;
  callCount: number;
  readonly namespaces: Set<string>;
}

/**
 * Records refused calls: the first one of an identity and a method at once, further ones of the same minute in one line at
 * its end. Lines that cannot be written are kept, and written with those of a later period.
 */
export class RefusedCallRecorder {
  private readonly write: (calls: RefusedCalls) => Promise<void>;
  private readonly onFailure: (error: unknown) => void;
  private shared = new Map<string, Shared>();
  private readonly writing = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  /** `write` resolves when its line is on disk; `onFailure` is called where it fails. */
  constructor(write: (calls: RefusedCalls) => Promise<void>, onFailure: (error: unknown) => void) {
    this.write = write;
    this.onFailure = onFailure;
  }

  add(operation: AuditedOperation, outcome: string): void {
    const calls = { ...operation, outcome, callCount: 1 };
    const isFirst = this.shared.size < LINES_MAX && !this.shared.has(keyOf(calls));
    const shared = this.sharedOf(calls);
    if (isFirst) this.record(calls, [calls.namespace]);
    else count(shared, calls, [calls.namespace]);
  }

  /** Writes the lines of the period that runs. Resolves when all lines are on disk, or could not be written. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ended = this.shared;
    this.shared = new Map();
    for (const shared of ended.values()) {
      if (shared.callCount > 0) this.record(lineOf(shared), shared.namespaces);
    }
    await Promise.all(this.writing);
  }

  /** Writes what is left. Fails where it cannot be written. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    const lost = [...this.shared.values()].reduce((sum, { callCount }) => sum + callCount, 0);
    if (lost > 0) throw new Error(`${lost} refused calls could not be recorded in the audit log`);
  }

  private record(calls: RefusedCalls, namespaces: Iterable<string>): void {
    const written = this.write(calls).catch((error: unknown) => {
      count(this.sharedOf(calls), calls, namespaces);
      this.onFailure(error);
    });
    this.writing.add(written);
    void written.finally(() => this.writing.delete(written));
  }

  private sharedOf(calls: RefusedCalls): Shared {
    this.timer ??= setTimeout(() => void this.flush(), PERIOD_MS).unref();
    const key = this.shared.size < LINES_MAX || this.shared.has(keyOf(calls)) ? keyOf(calls) : '';
    const known = this.shared.get(key);
    if (known) return known;
    const last = key === '' ? { ...calls, identity: '', method: '' } : calls;
    const shared = { last, outcome: calls.outcome, callCount: 0, namespaces: new Set<string>() };
    this.shared.set(key, shared);
    return shared;
  }
}

/** An identity has no spaces. */
function keyOf({ identity, method }: AuditedOperation): string {
  return `${identity} ${method}`;
}

function count(shared: Shared, { call, callCount }: RefusedCalls, namespaces: Iterable<string>): void {
  shared.last = { ...shared.last, call };
  shared.callCount += callCount;
  for (const namespace of namespaces) if (shared.namespaces.size < NAMESPACES_MAX) shared.namespaces.add(namespace);
}

function lineOf({ last, outcome, callCount, namespaces }: Shared): RefusedCalls {
  const { call, identity, method } = last;
  const [namespace = '', ...others] = namespaces;
  const names = [...namespaces].filter((name) => name !== '').map((name) => `namespaces/${name}`);
  const about = others.length > 0 ? { namespace: '', names } : { namespace, names: [] };
  return { call, identity, method, ...about, request: '', outcome, callCount };
}
