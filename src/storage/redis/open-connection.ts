import { isUnavailable, MnemeError } from '../../memory/errors.ts';
import { traced } from '../../search/threads/span.ts';
import { currentSignal, sendingInCall, writtenInCall } from '../current-call.ts';
import type { NodeReply, RedisArgument, RedisConnection, RedisReply, Script, ScriptKind } from './connection.ts';
import { isLeftOut, isReply, isSilence, redisUnavailable, translated } from './driver-error.ts';
import { connectWire, type Wire, type WireOptions } from './wire.ts';

export interface ConnectionOptions extends WireOptions {
  /** Pause of calls to a node after several failures in a row. */
  readonly retryAfterMs: number;
  readonly nowMs: () => number;
  /** Called when calls to a node stop, with its last error, and when it works again. */
  readonly onChange?: (node: string, isAvailable: boolean, error?: unknown) => void;
  /** Called when a reachable node begins to refuse writes, with its error, and when it accepts writes again. */
  readonly onRefusal?: (node: string, refusal?: MnemeError) => void;
}

const FAILURES_MAX = 3;
const SCANNED_AT_ONCE = 1000;
/** A command that may leave the driver's queue costs a listener: so many are written at once, or wait in any case. */
const NEVER_LEAVING = 1000;

/** Sends a command, which may leave the queue of the driver when the signal is aborted. */
type Send<R> = (leave?: AbortSignal) => Promise<R>;

const READING = new Set(['GET', 'HGET', 'HGETALL', 'HKEYS', 'HMGET', 'SMEMBERS']);

const isReading = (args: readonly RedisArgument[]): boolean => READING.has(String(args[0]));

/** What aborts the command; `undefined` where it is sent in any case. */
function signalOf(isReading: boolean): AbortSignal | undefined {
  return isReading ? currentSignal() : sendingInCall();
}

/** Fails with STORAGE_UNAVAILABLE when no node is reachable or usable. */
export async function openRedis(options: ConnectionOptions): Promise<RedisConnection> {
  try {
    return new GuardedConnection(await connectWire(options), options);
  } catch (error) {
    const known = translated(error);
    throw known instanceof MnemeError ? known : redisUnavailable('disconnected', error);
  }
}

class GuardedConnection implements RedisConnection {
  private readonly wire: Wire;
  private readonly options: ConnectionOptions;
  private readonly breakers = new Map<string, CircuitBreaker>();
  private readonly refusals: WriteRefusals;
  private readonly inHand = new Set<Promise<unknown>>();
  private isClosed = false;
  private refusedWith: MnemeError | undefined;

  constructor(wire: Wire, options: ConnectionOptions) {
    this.wire = wire;
    this.options = options;
    this.refusals = new WriteRefusals(options.onRefusal);
  }

  get isCluster(): boolean {
    return this.wire.isCluster;
  }

  get isAvailable(): boolean {
    return [...this.breakers.values()].every((breaker) => !breaker.isOpen);
  }

  get refusal(): MnemeError | undefined {
    return this.refusals.first;
  }

  nodeOf(key: string): string {
    return this.wire.nodeOf(key);
  }

  send(key: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    const signal = signalOf(isReading(args));
    return this.guarded(this.wire.nodeOf(key), String(args[0]), (leave) => this.wire.send(key, args, leave), signal);
  }

  sendAll(key: string, commands: readonly (readonly RedisArgument[])[]): Promise<RedisReply[]> {
    const send = (leave?: AbortSignal) => Promise.all(commands.map((args) => this.wire.send(key, args, leave)));
    const canLeave = commands.every(isReading);
    // Of several that write, all are sent.
    if (!canLeave) writtenInCall();
    const signal = canLeave ? currentSignal() : undefined;
    return this.guarded(this.wire.nodeOf(key), 'PIPELINE', send, signal);
  }

  run(script: Script, key: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    const node = this.wire.nodeOf(key);
    const keys = this.wire.isCluster ? keysOfScript(key) : [key];
    const numbered = [`${keys.length}`, ...keys];
    const send = async (leave?: AbortSignal) => {
      try {
        return await this.wire.send(key, ['EVALSHA', script.sha1, ...numbered, ...args], leave);
      } catch (error) {
        // A new, restarted or emptied node: the script has not run yet, and is now loaded.
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return this.wire.send(key, ['EVAL', script.source, ...numbered, ...args], leave);
      }
    };
    const reply = this.guarded(node, script.name, send, signalOf(script.kind === 'read'));
    return script.kind === 'read' ? reply : this.refusals.noted(node, script.kind, reply);
  }

  askAll(args: readonly RedisArgument[]): Promise<NodeReply[]> {
    return Promise.all(this.ask(args));
  }

  async askReachable(args: readonly RedisArgument[]): Promise<NodeReply[]> {
    const settled = await Promise.allSettled(this.ask(args));
    const failures = settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
    const unexpected = failures.find((failure) => !isUnavailable(failure));
    if (unexpected !== undefined || failures.length === settled.length) throw unexpected ?? failures[0];
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  async *scan(pattern: string): AsyncGenerator<readonly string[]> {
    for (const { name, send } of this.wire.nodes()) {
      let cursor = '0';
      do {
        const args = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', `${SCANNED_AT_ONCE}`];
        const [next, keys] = (await this.guarded(name, String(args[0]), () => send(args))) as [
          RedisReply,
          readonly RedisReply[],
        ];
        yield keys.map(String);
        cursor = String(next);
      } while (cursor !== '0');
    }
  }

  refuse(error: MnemeError): void {
    this.refusedWith = error;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    // Each ends by its timeout.
    await Promise.allSettled(this.inHand);
    this.wire.destroy();
  }

  private ask(args: readonly RedisArgument[]): Promise<NodeReply>[] {
    return this.wire.nodes().map(async ({ name, send }) => ({
      node: name,
      reply: await this.guarded(name, String(args[0]), () => send(args)),
    }));
  }

  /** `command`: name of the command or script; its arguments are contents. */
  private guarded<R>(node: string, command: string, call: Send<R>, signal?: AbortSignal): Promise<R> {
    const describe = () => {
      const attributes = { 'db.system.name': 'redis', 'db.operation.name': command, 'server.address': node };
      return { name: `redis ${command}`, kind: 'client' as const, attributes };
    };
    return traced(describe, () => this.answered(node, call, signal));
  }

  private async answered<R>(node: string, call: Send<R>, signal: AbortSignal | undefined): Promise<R> {
    signal?.throwIfAborted();
    if (this.isClosed) throw new MnemeError('DRAINING', 'the server is shutting down');
    if (this.refusedWith) throw this.refusedWith;
    const breaker = this.breakerOf(node);
    if (!breaker.admits()) throw redisUnavailable('circuit_open');
    const calledAtMs = this.options.nowMs();
    const leave = this.inHand.size < NEVER_LEAVING ? undefined : signal;
    const answer = inTime(call(leave), this.options.commandTimeoutMs);
    this.inHand.add(answer);
    try {
      const reply = await answer;
      if (breaker.succeeded()) this.options.onChange?.(node, true);
      return reply;
    } catch (error) {
      if (signal?.aborted && isLeftOut(error)) throw signal.reason;
      this.judge(node, breaker, error, calledAtMs);
      throw translated(error);
    } finally {
      this.inHand.delete(answer);
    }
  }

  private judge(node: string, breaker: CircuitBreaker, error: unknown, calledAtMs: number): void {
    if (isReply(error)) {
      if (breaker.succeeded()) this.options.onChange?.(node, true);
    } else if (isSilence(error) || error instanceof MnemeError) {
      if (breaker.failed(calledAtMs)) this.options.onChange?.(node, false, error);
    }
  }

  private breakerOf(node: string): CircuitBreaker {
    let breaker = this.breakers.get(node);
    if (!breaker) {
      const { retryAfterMs, nowMs } = this.options;
      breaker = new CircuitBreaker({ failuresMax: FAILURES_MAX, retryAfterMs, nowMs });
      this.breakers.set(node, breaker);
    }
    return breaker;
  }
}

/**
 * The key of a script, and one of its slot that never exists: Redis answers a command with TRYAGAIN whose keys are not all
 * where it would run, so a script does not run while its slot moves, at a node that has some of the other keys only.
 */
function keysOfScript(key: string): string[] {
  return key.includes('{') ? [key, `${key}:never`] : [key];
}

/** The driver cannot cancel a sent command: late replies are dropped. */
function inTime<R>(answer: Promise<R>, timeoutMs: number): Promise<R> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(redisUnavailable('timeout')), timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Faults of a reachable node that refuses writes. */
const FAULTS: ReadonlySet<string | undefined> = new Set(['read_only', 'persistence_failed', 'credentials']);

/** The error of each node's last write: a reachable node may still refuse writes. */
class WriteRefusals {
  private readonly byNode = new Map<string, MnemeError>();
  private readonly onChange: ((node: string, refusal?: MnemeError) => void) | undefined;

  /** `onChange` is called when a node begins to refuse writes, with its error, and when it accepts them again. */
  constructor(onChange?: (node: string, refusal?: MnemeError) => void) {
    this.onChange = onChange;
  }

  /** The error of one of the refusing nodes. */
  get first(): MnemeError | undefined {
    return this.byNode.values().next().value;
  }

  /**
   * Records the outcome of a writing script. A script that only frees memory says nothing about writes that store data.
   */
  async noted<R>(node: string, kind: ScriptKind, write: Promise<R>): Promise<R> {
    try {
      const reply = await write;
      if (kind === 'write' && this.byNode.delete(node)) this.onChange?.(node);
      return reply;
    } catch (error) {
      if (isRefusal(error)) {
        const isNew = !this.byNode.has(node);
        this.byNode.set(node, error);
        if (isNew) this.onChange?.(node, error);
      }
      throw error;
    }
  }
}

function isRefusal(error: unknown): error is MnemeError {
  if (!(error instanceof MnemeError)) return false;
  return error.reason === 'STORAGE_FULL' || FAULTS.has(error.metadata['fault']);
}

export interface BreakerOptions {
  /** Failures in a row after which calls are refused. */
  readonly failuresMax: number;
  /** Time after which one call is admitted to test whether the node works again. */
  readonly retryAfterMs: number;
  readonly nowMs: () => number;
}

/**
 * Spares callers the full timeout for a server that has just left calls unanswered. It counts only calls without a
 * reply: an error reply shows that the server is alive.
 */
export class CircuitBreaker {
  private readonly options: BreakerOptions;
  private failures = 0;
  private retryAtMs = 0;
  private succeededAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: BreakerOptions) {
    this.options = options;
  }

  get isOpen(): boolean {
    return this.failures >= this.options.failuresMax;
  }

  /** Whether a call may be made. While the breaker is open this is one call per `retryAfterMs`. */
  admits(): boolean {
    if (!this.isOpen) return true;
    const nowMs = this.options.nowMs();
    if (nowMs < this.retryAtMs) return false;
    this.retryAtMs = nowMs + this.options.retryAfterMs;
    return true;
  }

  /** True when this closed the breaker. */
  succeeded(): boolean {
    const wasOpen = this.isOpen;
    this.failures = 0;
    this.succeededAtMs = this.options.nowMs();
    return wasOpen;
  }

  /**
   * True when this opened the breaker. A call from before the last success says nothing about the present server: calls
   * in flight during a restart time out long after the server is back.
   */
  failed(calledAtMs: number): boolean {
    if (calledAtMs < this.succeededAtMs) return false;
    const wasOpen = this.isOpen;
    this.failures = Math.min(this.failures + 1, this.options.failuresMax);
    if (this.isOpen) this.retryAtMs = this.options.nowMs() + this.options.retryAfterMs;
    return this.isOpen && !wasOpen;
  }
}
