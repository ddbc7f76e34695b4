import type { RedisArgument } from './connection.ts';

export type RedisCommand = readonly RedisArgument[];

/** Far below what Lua can take apart at once. */
const PARTS_MAX = 1000;

/**
 * The commands of many changes of one room, those of one kind and key as one: what is taken away goes first, so that a
 * change may take an id away and give it to another memory.
 */
export class CommandBatch {
  private readonly room: string;
  private readonly taken = new Map<string, RedisArgument[][]>();
  private readonly given = new Map<string, RedisArgument[][]>();
  private readonly single: RedisCommand[] = [];

  constructor(room: string) {
    this.room = room;
  }

  /** The key follows the room's. */
  alone(name: string, key: string, ...parts: readonly RedisArgument[]): void {
    this.single.push([name, `${this.room}:${key}`, ...parts]);
  }
  take(name: 'DEL' | 'HDEL' | 'SREM' | 'ZREM', key: string, ...parts: readonly RedisArgument[]): void {
    this.join(this.taken, name, key, parts);
  }
  put(name: 'HSET' | 'SADD' | 'ZADD', key: string, ...parts: readonly RedisArgument[]): void {
    this.join(this.given, name, key, parts);
  }

  commands(): RedisCommand[] {
    return [...[...this.taken.values()].flat(), ...this.single, ...[...this.given.values()].flat()];
  }

  private join(commands: Map<string, RedisArgument[][]>, name: string, key: string, parts: readonly RedisArgument[]) {
    const known = commands.get(`${name} ${key}`) ?? [];
    const last = known.at(-1);
    if (last && last.length < PARTS_MAX) last.push(...parts);
    else known.push([name, `${this.room}:${key}`, ...parts]);
    commands.set(`${name} ${key}`, known);
  }
}
