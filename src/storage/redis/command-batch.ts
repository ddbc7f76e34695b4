import type { Micros } from '../../memory/memory.ts';
import type { Kept } from '../rules/kept-outcome.ts';
import type { RedisArgument } from './connection.ts';

export type RedisCommand = readonly RedisArgument[];

type Taking = 'HDEL';
type Giving = 'HSET';

/** Far below the number of arguments that Lua can unpack at once. */
const PARTS_MAX = 1000;

/**
 * Merges the commands of many changes of one keyspace by kind and key. Removals come first, so that a change may remove
 * an id and assign it to another memory.
 */
export class CommandBatch {
  private readonly keyspace: string;
  private readonly taken = new Map<Taking, Map<string, RedisArgument[]>>();
  private readonly provided = new Map<Giving, Map<string, RedisArgument[]>>();
  private readonly erased: RedisArgument[] = [];
  private readonly strings: RedisArgument[] = [];
  private readonly takenFull: RedisCommand[] = [];
  private readonly single: RedisCommand[] = [];
  private readonly givenFull: RedisCommand[] = [];

  constructor(keyspace: string) {
    this.keyspace = keyspace;
  }

  /** The key follows the keyspace's. */
  alone(name: string, key: string, ...parts: readonly RedisArgument[]): void {
    this.single.push([name, `${this.keyspace}:${key}`, ...parts]);
  }
  /** The complete key. */
  erase(key: string): void {
    this.erased.push(`${this.keyspace}:${key}`);
  }
  take(name: Taking, key: string, part: RedisArgument): void {
    open(this.taken, this.takenFull, this.keyspace, name, key).push(part);
  }
  /** Whatever the key held before. */
  set(key: string, value: RedisArgument): void {
    this.strings.push(`${this.keyspace}:${key}`, value);
  }
  put(name: Giving, key: string, one: RedisArgument, other?: RedisArgument): void {
    const command = open(this.provided, this.givenFull, this.keyspace, name, key);
    command.push(one);
    if (other !== undefined) command.push(other);
  }

  commands(): RedisCommand[] {
    const [taken, provided] = [this.taken, this.provided].map((kinds) =>
      [...kinds.values()].flatMap((keys) => [...keys.values()]),
    );
    const gone = [...inParts('DEL', this.erased), ...this.takenFull, ...(taken ?? [])];
    return [...gone, ...this.single, ...inParts('MSET', this.strings), ...this.givenFull, ...(provided ?? [])];
  }
}

function inParts(name: string, parts: readonly RedisArgument[]): RedisCommand[] {
  const commands: RedisCommand[] = [];
  for (let from = 0; from < parts.length; from += PARTS_MAX)
    commands.push([name, ...parts.slice(from, from + PARTS_MAX)]);
  return commands;
}

/** The command of this kind and key that is not full. */
function open<N extends string>(
  kinds: Map<N, Map<string, RedisArgument[]>>,
  full: RedisCommand[],
  keyspace: string,
  name: N,
  key: string,
): RedisArgument[] {
  let keys = kinds.get(name);
  if (!keys) {
    keys = new Map();
    kinds.set(name, keys);
  }
  const known = keys.get(key);
  if (known && known.length < PARTS_MAX) return known;
  if (known) full.push(known);
  const command: RedisArgument[] = [name, `${keyspace}:${key}`];
  keys.set(key, command);
  return command;
}

const ARRAY_32 = 0xdd;
const STRING_32 = 0xdb;
/** Added to the length of a text whose header is one byte. */
const STRING_SHORT = 0xa0;
const HEADER_BYTES = 5;
/** In UTF-16 units: three times as many bytes still have a short header. */
const SHORT_LENGTH_MAX = 10;

/**
 * Packs several arguments into one, in MessagePack, which scripts unpack with `cmsgpack.unpack`: the driver writes each
 * argument of a command separately, and a batch of writes has thousands.
 */
export function packArguments(args: readonly RedisArgument[]): Buffer {
  // Enough if every text is ASCII, which nearly all are, and each alone may be what it likes.
  let left = 0;
  let longest = 0;
  for (const arg of args) {
    left += HEADER_BYTES + arg.length;
    if (arg.length > longest) longest = arg.length;
  }
  let packed: Buffer = Buffer.allocUnsafe(HEADER_BYTES + left + 2 * longest);
  let at = writeHeader(packed, ARRAY_32, args.length, 0);
  for (const arg of args) {
    left -= HEADER_BYTES + arg.length;
    const needed = HEADER_BYTES + (typeof arg === 'string' ? 3 * arg.length : arg.length);
    if (packed.length - at < needed + left) packed = longer(packed, at, packed.length + needed + left);
    if (typeof arg !== 'string') {
      at = writeHeader(packed, STRING_32, arg.length, at);
      at += arg.copy(packed, at);
    } else if (arg.length <= SHORT_LENGTH_MAX) {
      const written = packed.write(arg, at + 1);
      packed[at] = STRING_SHORT + written;
      at += 1 + written;
    } else {
      const written = packed.write(arg, at + HEADER_BYTES);
      at = writeHeader(packed, STRING_32, written, at) + written;
    }
  }
  return packed.subarray(0, at);
}

function longer(packed: Buffer, used: number, length: number): Buffer {
  const grown = Buffer.allocUnsafe(length);
  packed.copy(grown, 0, 0, used);
  return grown;
}

function writeHeader(packed: Buffer, kind: number, length: number, at: number): number {
  packed[at] = kind;
  packed.writeUInt32BE(length, at + 1);
  return at + HEADER_BYTES;
}

/** The command that stores the record. */
export function keepingOf(keyspace: string, requestId: string, kept: Kept, retentionUs: Micros): RedisCommand {
  const ms = Math.max(1, Math.ceil(retentionUs / 1000));
  return ['SET', `${keyspace}:r:${requestId}`, JSON.stringify(kept), 'PX', `${ms}`];
}
