import type { RedisConnection } from '../connection.ts';
import { roomKey } from '../keys.ts';
import { scriptOf } from '../script.ts';
import { listOf } from './loaded.ts';

/** What servers send one another. */
export type HookMessage =
  | {
      readonly kind: 'ask';
      readonly id: string;
      readonly from: string;
      readonly hook: string;
      readonly timeoutMs: number;
      readonly question: string;
    }
  | { readonly kind: 'reply'; readonly id: string; readonly answer?: string; readonly failure?: string }
  | { readonly kind: 'end' };

/** Messages that wait for a server that does not read; older ones make room. */
const WAITING_MAX = 10_000;
/** How long those of a server that has died are kept. */
const KEPT_MS = 60_000;
const RETRY_MS = 200;

/** Keys: inbox. Arguments: message, most messages, how long they are kept. */
const pushScript = scriptOf(
  'hook-message',
  'write',
  `redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[2]), -1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`,
);

export interface HookInboxOptions {
  readonly redis: RedisConnection;
  readonly prefix: string;
  readonly server: string;
  /** A connection of its own, because reading waits in Redis and others must not wait behind it. */
  readonly connect: () => Promise<RedisConnection>;
  /** Longest wait in Redis for the next message. */
  readonly waitMs: number;
  readonly onMessage: (message: HookMessage) => void;
}

/** The messages for one server. Reading begins with the first call of `begin` and ends with `close`. */
export class HookInbox {
  private readonly options: HookInboxOptions;
  private readonly stopped = new AbortController();
  private reading: Promise<void> | undefined;

  constructor(options: HookInboxOptions) {
    this.options = options;
  }

  begin(): void {
    if (!this.stopped.signal.aborted) this.reading ??= this.read();
  }

  async send(to: string, message: HookMessage): Promise<void> {
    const args = [JSON.stringify(message), `${WAITING_MAX}`, `${KEPT_MS}`];
    await this.options.redis.run(pushScript, this.keyOf(to), args);
  }

  async close(): Promise<void> {
    if (!this.reading) return;
    this.stopped.abort();
    // So that nobody has to wait for the end of the wait; where Redis does not answer it ends by itself.
    await this.send(this.options.server, { kind: 'end' }).catch(() => undefined);
    await this.reading;
  }

  private async read(): Promise<void> {
    const { server, waitMs, onMessage, connect } = this.options;
    const key = this.keyOf(server);
    let connection: RedisConnection | undefined;
    while (!this.stopped.signal.aborted) {
      try {
        connection ??= await connect();
        const [, json] = listOf(await connection.send(key, ['BLPOP', key, `${waitMs / 1000}`]));
        if (json !== undefined && json !== null) onMessage(JSON.parse(String(json)) as HookMessage);
      } catch {
        // Whoever asks is told by their own calls that Redis does not answer.
        await pause(RETRY_MS, this.stopped.signal);
      }
    }
    await connection?.close();
  }

  private keyOf(server: string): string {
    return `${roomKey(this.options.prefix, 'hook-inbox', server)}:messages`;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
