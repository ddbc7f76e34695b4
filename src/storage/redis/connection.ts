import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MnemeError } from '../../memory/errors.ts';

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
   * Runs a script where `key` is, which it gets as `KEYS[1]`. Other keys that it reads or writes begin with the same keyspace
   * (`roomKey`), so that they are on the same node.
   */
  run(script: Script, key: string, args: readonly RedisArgument[]): Promise<RedisReply>;
  /** Asks each node that takes writes; one that does not answer fails the whole. */
  askAll(args: readonly RedisArgument[]): Promise<NodeReply[]>;
  /** The same of those that can be reached; fails when none can. */
  askReachable(args: readonly RedisArgument[]): Promise<NodeReply[]>;
  /** Names of keys that match a pattern of SCAN, of every node that takes writes, in pages; one may come twice. */
  scan(pattern: string): AsyncIterable<readonly string[]>;
  /** From now on every call fails with the error. */
  refuse(error: MnemeError): void;
  /** Lets calls in hand end, refuses new ones with DRAINING, and lets go of the sockets. Safe to call twice. */
  close(): Promise<void>;
}

/** What Redis has to know of a script before it runs it. */
export type ScriptKind =
  /** Refused as a whole, before its first command, by a read-only replica and when memory is used up. */
  | 'write'
  /** Frees memory: runs when memory is used up. */
  | 'erase'
  /** Runs wherever data can be read. */
  | 'read';

/** A Lua program, which Redis runs as one step that nothing comes between. */
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

/** The script whose body is these files, one after the other. */
function scriptFrom(name: string, kind: ScriptKind, ...files: readonly URL[]): Script {
  return scriptOf(name, kind, files.map((file) => readFileSync(file, 'utf8')).join('\n'));
}

/** What Redis answers to INFO, by name. */
export function infoOf(reply: RedisReply | undefined): ReadonlyMap<string, string> {
  const lines = String(reply ?? '').split('\r\n');
  return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1)]));
}

const fileOf = (name: string) => new URL(`scripts/${name}.lua`, import.meta.url);
const script = (name: string, kind: ScriptKind) => scriptFrom(name, kind, fileOf(name));
/** One that gives rows of memories. */
const rowScript = (name: string) => scriptFrom(name, 'read', fileOf('rows'), fileOf(name));

/** Scripts that work on one keyspace; what they take and give is said in their first lines. */
export const keyspaceScripts = {
  load: rowScript('load'),
  commit: script('commit', 'write'),
  /** The same for writes that only free memory. */
  erase: script('commit', 'erase'),
  changes: script('changes', 'read'),
  createSubscription: script('create-subscription', 'write'),
  deleteSubscription: script('delete-subscription', 'erase'),
  moveCursors: script('move-cursors', 'erase'),
  claimWork: script('claim-work', 'write'),
  releaseWork: script('release-work', 'erase'),
};
