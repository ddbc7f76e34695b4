import { MnemeError } from '../../memory/errors.ts';
import type { NodeReply, RedisArgument, RedisConnection, RedisReply, Script } from './connection.ts';
import { redisUnavailable } from './driver-error.ts';

export interface LateConnectionOptions {
  /** Connects, and does what comes before the first call. */
  readonly open: () => Promise<RedisConnection>;
  readonly retryAfterMs: number;
  /** Called once, when the connection is open. */
  readonly onOpen: () => void;
  /** Whether to try again; otherwise every later call fails as `superseded`. */
  readonly mayRetry: (error: unknown) => boolean;
}

/** A connection to a Redis that did not answer at the start: until it does, every call fails as `disconnected`. */
export class LateConnection implements RedisConnection {
  private readonly options: LateConnectionOptions;
  private opened: RedisConnection | undefined;
  private opening: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private refused: MnemeError | undefined;
  private isClosed = false;

  constructor(options: LateConnectionOptions) {
    this.options = options;
    this.tryLater();
  }

  get isCluster(): boolean {
    return this.opened?.isCluster ?? false;
  }
  get isAvailable(): boolean {
    return this.opened?.isAvailable ?? false;
  }
  get refusal(): MnemeError | undefined {
    return this.opened?.refusal;
  }
  nodeOf(key: string): string {
    return this.opened?.nodeOf(key) ?? '';
  }
  async send(key: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    return this.connection.send(key, args);
  }
  async sendAll(key: string, commands: readonly (readonly RedisArgument[])[]): Promise<RedisReply[]> {
    return this.connection.sendAll(key, commands);
  }
  async run(script: Script, key: string, args: readonly RedisArgument[]): Promise<RedisReply> {
    return this.connection.run(script, key, args);
  }
  async askAll(args: readonly RedisArgument[]): Promise<NodeReply[]> {
    return this.connection.askAll(args);
  }
  async askReachable(args: readonly RedisArgument[]): Promise<NodeReply[]> {
    return this.connection.askReachable(args);
  }
  async *scan(pattern: string): AsyncGenerator<readonly string[]> {
    yield* this.connection.scan(pattern);
  }
  refuse(error: MnemeError): void {
    this.refused = error;
    this.opened?.refuse(error);
  }
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.opening;
    await this.opened?.close();
  }

  private get connection(): RedisConnection {
    if (this.isClosed) throw new MnemeError('DRAINING', 'the server is shutting down');
    if (this.refused) throw this.refused;
    if (!this.opened) throw redisUnavailable('disconnected');
    return this.opened;
  }

  private tryLater(): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.opening = this.tryNow();
    }, this.options.retryAfterMs).unref();
  }

  private async tryNow(): Promise<void> {
    const { open, onOpen, mayRetry } = this.options;
    try {
      this.opened = await open();
      onOpen();
    } catch (error) {
      if (mayRetry(error)) this.tryLater();
      else this.refuse(redisUnavailable('superseded'));
    }
  }
}
