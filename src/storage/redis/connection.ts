import type { MnemeError } from '../../memory/errors.ts';
import type { Script } from './script.ts';

/** Part of a command. A number is written as its decimal digits by the caller. */
export type RedisArgument = string | Buffer;

/** What Redis answers: bulk strings come as bytes, never decoded; simple strings such as `OK` as text. */
export type RedisReply = null | number | string | Buffer | readonly RedisReply[];

export interface NodeReply {
  readonly node: string;
  readonly reply: RedisReply;
}

/**
 * The way to one Redis, or to a cluster of them. Every call ends within the command timeout. A call that fails because
 * Redis does is a `MnemeError`: STORAGE_UNAVAILABLE with the `fault`, STORAGE_FULL, QUEUE_FULL, or DRAINING after `close`.
 * After STORAGE_UNAVAILABLE a write may have taken effect, and may still take effect once Redis goes on: writes must be
 * such that this does no harm.
 */
export interface RedisConnection {
  readonly isCluster: boolean;
  /** False while a node fails so often that calls to it are refused at once. */
  readonly isAvailable: boolean;
  /** Why a node that answers refused what it was last asked to store; absent where all store. */
  readonly refusal: MnemeError | undefined;
  /** The node that has a key, by the name that `askAll` gives it. */
  nodeOf(key: string): string;
  /** Sends one command to the node that has `key`. */
  send(key: string, args: readonly RedisArgument[]): Promise<RedisReply>;
  /** Sends several such commands at once. Redis does them in order; those of others may come in between. */
  sendAll(key: string, commands: readonly (readonly RedisArgument[])[]): Promise<RedisReply[]>;
  /**
   * Runs a script where `key` is, which it gets as `KEYS[1]`. Other keys that it reads or writes begin with the same room
   * (`roomKey`), so that they are on the same node.
   */
  run(script: Script, key: string, args: readonly RedisArgument[]): Promise<RedisReply>;
  /** Asks each node that takes writes; one that does not answer fails the whole. */
  askAll(args: readonly RedisArgument[]): Promise<NodeReply[]>;
  /** The same of those that can be reached; fails when none can. */
  askReachable(args: readonly RedisArgument[]): Promise<NodeReply[]>;
  /** Lets calls in hand end, refuses new ones with DRAINING, and lets go of the sockets. Safe to call twice. */
  close(): Promise<void>;
}
