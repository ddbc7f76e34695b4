import type { RedisArgument } from './connection.ts';

export type RedisCommand = readonly RedisArgument[];

type Taking = 'HDEL' | 'SREM' | 'ZREM';
type Giving = 'HSET' | 'SADD' | 'ZADD';

/** Far below what Lua can take apart at once. */
const PARTS_MAX = 1000;

/**
 * The commands of many changes of one room, those of one kind and key as one: what is taken away goes first, so that a
 * change may take an id away and give it to another memory.
 */
export class CommandBatch {
  private readonly room: string;
  private readonly taken = new Map<Taking, Map<string, RedisArgument[]>>();
  private readonly given = new Map<Giving, Map<string, RedisArgument[]>>();
  private readonly erased: RedisArgument[] = [];
  private readonly strings: RedisArgument[] = [];
  private readonly takenFull: RedisCommand[] = [];
  private readonly single: RedisCommand[] = [];
  private readonly givenFull: RedisCommand[] = [];

  constructor(room: string) {
    this.room = room;
  }

  /** The key follows the room's. */
  alone(name: string, key: string, ...parts: readonly RedisArgument[]): void {
    this.single.push([name, `${this.room}:${key}`, ...parts]);
  }
  /** The key as a whole. */
  erase(key: string): void {
    this.erased.push(`${this.room}:${key}`);
  }
  take(name: Taking, key: string, part: RedisArgument): void {
    open(this.taken, this.takenFull, this.room, name, key).push(part);
  }
  /** Whatever the key held before. */
  set(key: string, value: RedisArgument): void {
    this.strings.push(`${this.room}:${key}`, value);
  }
  put(name: Giving, key: string, one: RedisArgument, other?: RedisArgument): void {
    const command = open(this.given, this.givenFull, this.room, name, key);
    command.push(one);
    if (other !== undefined) command.push(other);
  }

  commands(): RedisCommand[] {
    const [taken, given] = [this.taken, this.given].map((kinds) =>
      [...kinds.values()].flatMap((keys) => [...keys.values()]),
    );
    const gone = [...inParts('DEL', this.erased), ...this.takenFull, ...(taken ?? [])];
    return [...gone, ...this.single, ...inParts('MSET', this.strings), ...this.givenFull, ...(given ?? [])];
  }
}

function inParts(name: string, parts: readonly RedisArgument[]): RedisCommand[] {
  const commands: RedisCommand[] = [];
  for (let from = 0; from < parts.length; from += PARTS_MAX)
    commands.push([name, ...parts.slice(from, from + PARTS_MAX)]);
  return commands;
}

/** The command of the kind and key that has room for more. */
function open<N extends string>(
  kinds: Map<N, Map<string, RedisArgument[]>>,
  full: RedisCommand[],
  room: string,
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
  const command: RedisArgument[] = [name, `${room}:${key}`];
  keys.set(key, command);
  return command;
}
