import { createHash } from 'node:crypto';
import type { MnemeError } from '../../memory/errors.ts';

/** Part of a command. The caller writes a number as decimal digits. */
export type RedisArgument = string | Buffer;

/** A reply of Redis: bulk strings as undecoded bytes; simple strings such as `OK` as text. */
export type RedisReply = null | number | string | Buffer | readonly RedisReply[];

export interface NodeReply {
  readonly node: string;
  readonly reply: RedisReply;
}

/**
 * The connection to one Redis or to a cluster. Every call ends within the command timeout. A call that fails because of
 * Redis throws a `MnemeError`: STORAGE_UNAVAILABLE with the `fault`, STORAGE_FULL, QUEUE_FULL, or DRAINING after
 * `close`. After STORAGE_UNAVAILABLE a write may have taken effect, or may still take effect when Redis recovers:
 * writes must allow for this.
 *
 * No command is sent after the end of the gRPC call that it serves. Where many wait, a command that is not written to the
 * socket yet leaves the queue at that end; one that writes only if it is the first write of its call.
 */
export interface RedisConnection {
  readonly isCluster: boolean;
  /** False while a node fails so often that calls to it are refused at once. */
  readonly isAvailable: boolean;
  /** Why a reachable node refused its last write; absent where all nodes accept writes. */
  readonly refusal: MnemeError | undefined;
  /** Name of the node that holds a key, as in `askAll`. */
  nodeOf(key: string): string;
  /** Sends one command to the node that has `key`. */
  send(key: string, args: readonly RedisArgument[]): Promise<RedisReply>;
  /** Sends several such commands at once. Redis runs them in order; commands of other clients may run in between. */
  sendAll(key: string, commands: readonly (readonly RedisArgument[])[]): Promise<RedisReply[]>;
  /**
   * Runs a script on the node of `key`, which is its `KEYS[1]`. Other keys that it reads or writes begin with the same
   * keyspace (`keyspacePrefix`), so that they are on the same node. While they move to another node, it does not run:
   * the call fails with STORAGE_UNAVAILABLE, and nothing is written.
   */
  run(script: Script, key: string, args: readonly RedisArgument[]): Promise<RedisReply>;
  /** Asks each master node; fails when one does not answer. */
  askAll(args: readonly RedisArgument[]): Promise<NodeReply[]>;
  /** As `askAll`, of the reachable nodes; fails when no node is reachable. */
  askReachable(args: readonly RedisArgument[]): Promise<NodeReply[]>;
  /** Keys of every master node that match a pattern of SCAN, in pages; a key may appear twice. */
  scan(pattern: string): AsyncIterable<readonly string[]>;
  /** Makes every later call fail with the error. */
  refuse(error: MnemeError): void;
  /** Finishes open calls, refuses new ones with DRAINING, and closes the sockets. Safe to call twice. */
  close(): Promise<void>;
}

/** Effect of a script, which Redis checks before it runs the script. */
export type ScriptKind =
  /** Refused before its first command by a read-only replica, and when memory is used up. */
  | 'write'
  /** Frees memory: runs even when memory is used up. */
  | 'erase'
  /** Runs on every readable node. */
  | 'read';

/** A Lua program, which Redis runs atomically. */
export interface Script {
  readonly name: string;
  readonly kind: ScriptKind;
  readonly source: string;
  readonly sha1: string;
}

const FLAGS: Readonly<Record<ScriptKind, string>> = { write: '', erase: ' flags=allow-oom', read: ' flags=no-writes' };

export function scriptOf(name: string, kind: ScriptKind, body: string): Script {
  // Redis checks memory and role once, at the start, for scripts that begin with this line.
  const source = `#!lua${FLAGS[kind]}\n${body}`;
  return { name, kind, source, sha1: createHash('sha1').update(source).digest('hex') };
}

/** The fields of a reply to INFO, by name. */
export function infoOf(reply: RedisReply | undefined): ReadonlyMap<string, string> {
  const lines = String(reply ?? '').split('\r\n');
  return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1)]));
}
