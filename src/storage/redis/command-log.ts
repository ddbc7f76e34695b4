import {
  type CommandEntry,
  type CommandLog,
  type CommandLogHead,
  FORMAT,
  type StoredSnapshot,
} from '../command-log.ts';
import { type Fence, LeasesLost } from '../job-fence.ts';
import type { LeaseTable } from '../job-leases.ts';
import type { SharedPosition } from '../shared-position.ts';
import { type RedisConnection, type RedisReply, scriptOf } from './connection.ts';
import { findLostLeases, RedisLeaseTable } from './lease-table.ts';

/** Parts of the hash tag of its keys. No namespace has this tag. */
export const SHARED_LOG = ['log', 'shared'] as const;

/**
 * Appends entries. KEYS[1]: keyspace. ARGV: expected epoch; position and stamp of an expected entry; 1 if it must be the last;
 * takings of leases, see `findLostLeases`; then stamp and command of each new entry. Returns the position of the first new entry and
 * the stamp before it; 0 if the log differs; -1 and the places of lost leases.
 */
const APPEND = `${findLostLeases(5)}if #lost > 0 then return { -1, unpack(lost) } end
local state, log = KEYS[1] .. ':state', KEYS[1] .. ':log'
local known = redis.call('HMGET', state, 'epoch', 'position', 'stamp', 'written')
if known[1] ~= ARGV[1] then return { 0 } end
local position, stamp, written = tonumber(known[2]), known[3], tonumber(known[4])
local least = tonumber(ARGV[2])
if position < least or (position == least and stamp ~= ARGV[3]) or (position > least and ARGV[4] == '1') then return { 0 } end
local answer = { position + 1, stamp }
for at = after, #ARGV, 2 do
  position = position + 1
  redis.call('XADD', log, string.format('%d-0', position), 's', ARGV[at], 'p', stamp, 'c', ARGV[at + 1])
  stamp, written = ARGV[at], written + #ARGV[at + 1]
end
redis.call('HSET', state, 'position', string.format('%d', position), 'stamp', stamp, 'written', string.format('%d', written))
return answer`;

/** Time limit for storing, or reading, a complete snapshot. */
const UNFINISHED_MS = 3_600_000;

/** Parts of a snapshot expire before the log refers to the snapshot, and after it refers to another one. */
const PARTS = `local function expire(json, ms)
  local snapshot = cjson.decode(json)
  for at = 0, snapshot.parts - 1 do
    local part = KEYS[1] .. ':snapshot:' .. snapshot.id .. ':' .. at
    if redis.call('EXISTS', part) == 0 then return false end
    if ms then redis.call('PEXPIRE', part, ms) else redis.call('PERSIST', part) end
  end
  return true
end
`;

/**
 * Creates a missing log. KEYS[1]: keyspace. ARGV: epoch; snapshot; bytes written before it; its position and stamp; format; then
 * previous stamp, position, stamp and command of each entry up to it. Returns 1 if the log was created.
 */
const BEGIN = `${PARTS}local state, log = KEYS[1] .. ':state', KEYS[1] .. ':log'
if redis.call('EXISTS', state) == 1 or not expire(ARGV[2]) then return 0 end
redis.call('DEL', log)
for at = 7, #ARGV, 4 do
  redis.call('XADD', log, ARGV[at + 1] .. '-0', 's', ARGV[at + 2], 'p', ARGV[at], 'c', ARGV[at + 3])
end
redis.call('HSET', state, 'epoch', ARGV[1], 'snapshot', ARGV[2], 'written', ARGV[3], 'cut', ARGV[3])
redis.call('HSET', state, 'position', ARGV[4], 'stamp', ARGV[5], 'format', ARGV[6])
return 1`;

/**
 * Replaces the snapshot and trims the log. KEYS[1]: keyspace. ARGV: epoch; expected snapshot; new snapshot; bytes written before
 * it; last trimmed position. Returns 1 if the snapshot was replaced.
 */
const REPLACE = `${PARTS}local state = KEYS[1] .. ':state'
local known = redis.call('HMGET', state, 'epoch', 'snapshot')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] or not expire(ARGV[3]) then return 0 end
expire(ARGV[2], ${UNFINISHED_MS})
redis.call('HSET', state, 'snapshot', ARGV[3], 'cut', ARGV[4])
redis.call('XTRIM', KEYS[1] .. ':log', 'MINID', string.format('%d-0', ARGV[5] + 1))
return 1`;

/** KEYS[1]: keyspace. ARGV: epoch; format. */
const RAISE_FORMAT = `local state = KEYS[1] .. ':state'
local known = redis.call('HMGET', state, 'epoch', 'format')
if known[1] == ARGV[1] and tonumber(known[2]) < tonumber(ARGV[2]) then redis.call('HSET', state, 'format', ARGV[2]) end
return 1`;

const scripts = {
  append: scriptOf('shared-append', 'write', APPEND),
  /** Frees memory. */
  begin: scriptOf('shared-begin', 'erase', BEGIN),
  replace: scriptOf('shared-replace', 'erase', REPLACE),
  raiseFormat: scriptOf('shared-format', 'write', RAISE_FORMAT),
  putPart: scriptOf('shared-part', 'erase', `return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`),
};

const FIELDS = ['epoch', 'position', 'stamp', 'format', 'snapshot', 'written', 'cut'] as const;

/** The command log in Redis: all servers of a key prefix execute its commands in order. */
export class RedisCommandLog implements CommandLog {
  readonly leases: LeaseTable;
  private readonly connection: RedisConnection;
  private readonly keyspace: string;

  /** `keyspace`: common prefix of its keys; one hash tag. */
  constructor(connection: RedisConnection, keyspace: string) {
    this.connection = connection;
    this.keyspace = keyspace;
    this.leases = new RedisLeaseTable(connection, keyspace);
  }

  async head(): Promise<CommandLogHead | undefined> {
    return headOf((await this.connection.send(this.keyspace, this.headCommand)) as readonly RedisReply[]);
  }

  async read(
    after: number,
    limit: number,
  ): Promise<{ readonly head: CommandLogHead | undefined; readonly entries: CommandEntry[] }> {
    const range = ['XRANGE', `${this.keyspace}:log`, `(${after}-0`, '+', 'COUNT', `${limit}`];
    // The entries are read last: at least as many exist as the head says.
    const [head, entries] = await this.connection.sendAll(this.keyspace, [this.headCommand, range]);
    return { head: headOf(head as readonly RedisReply[]), entries: (entries as readonly RedisReply[]).map(entryOf) };
  }

  async append(
    { epoch, position, stamp }: SharedPosition,
    commands: readonly Pick<CommandEntry, 'stamp' | 'command'>[],
    isEnd = false,
    fences: readonly Fence[] = [],
  ): Promise<Pick<CommandEntry, 'position' | 'follows'> | undefined> {
    const entries = commands.flatMap((entry) => [entry.stamp, entry.command]);
    const takings = fences.flatMap(({ job, number }) => [job, `${number}`]);
    const args = [epoch, `${position}`, stamp, isEnd ? '1' : '0', `${fences.length}`, ...takings, ...entries];
    const reply = (await this.connection.run(scripts.append, this.keyspace, args)) as readonly RedisReply[];
    const [first, follows] = reply;
    if (first === -1) throw new LeasesLost(fences.filter((_, at) => reply.includes(at + 1, 1)));
    return first === 0 ? undefined : { position: Number(first), follows: String(follows) };
  }

  async begin(
    epoch: string,
    snapshot: StoredSnapshot,
    writtenBytes: number,
    entries: readonly CommandEntry[] = [],
  ): Promise<boolean> {
    const fields = [epoch, JSON.stringify(snapshot), `${writtenBytes}`, `${snapshot.position}`, snapshot.stamp];
    const leading = entries.flatMap(({ follows, position, stamp, command }) => [
      follows,
      `${position}`,
      stamp,
      command,
    ]);
    const args = [...fields, `${FORMAT}`, ...leading];
    return (await this.connection.run(scripts.begin, this.keyspace, args)) === 1;
  }

  async replaceSnapshot(head: CommandLogHead, snapshot: StoredSnapshot, writtenBytes: number): Promise<boolean> {
    const [before, after] = [head.snapshot, snapshot].map((one) => JSON.stringify(one));
    const args = [head.epoch, before ?? '', after ?? '', `${writtenBytes}`, `${head.snapshot.position}`];
    return (await this.connection.run(scripts.replace, this.keyspace, args)) === 1;
  }

  async raiseFormat(epoch: string): Promise<void> {
    await this.connection.run(scripts.raiseFormat, this.keyspace, [epoch, `${FORMAT}`]);
  }

  async putPart(snapshot: string, at: number, part: Buffer): Promise<void> {
    await this.connection.run(scripts.putPart, this.partKey(snapshot, at), [part, `${UNFINISHED_MS}`]);
  }

  async part(snapshot: string, at: number): Promise<Buffer | undefined> {
    const key = this.partKey(snapshot, at);
    const reply = await this.connection.send(key, ['GET', key]);
    return Buffer.isBuffer(reply) ? reply : undefined;
  }

  async takeTurn(ms: number): Promise<boolean> {
    const key = `${this.keyspace}:turn`;
    return (await this.connection.send(key, ['SET', key, '1', 'NX', 'PX', `${ms}`])) !== null;
  }

  async endTurn(): Promise<void> {
    const key = `${this.keyspace}:turn`;
    await this.connection.send(key, ['DEL', key]);
  }

  async offer(server: string, position: number, ms: number): Promise<void> {
    const key = `${this.keyspace}:offers`;
    await this.connection.sendAll(this.keyspace, [
      ['ZADD', key, `${position}`, server],
      ['PEXPIRE', key, `${ms}`],
    ]);
  }
  async furthest(): Promise<string | undefined> {
    const key = `${this.keyspace}:offers`;
    const [server] = (await this.connection.send(key, ['ZREVRANGE', key, '0', '0'])) as readonly RedisReply[];
    return server === undefined ? undefined : String(server);
  }

  private get headCommand(): string[] {
    return ['HMGET', `${this.keyspace}:state`, ...FIELDS];
  }

  private partKey(snapshot: string, at: number): string {
    return `${this.keyspace}:snapshot:${snapshot}:${at}`;
  }
}

function headOf(fields: readonly RedisReply[]): CommandLogHead | undefined {
  if (fields[0] === null || fields[0] === undefined) return undefined;
  const [epoch = '', position, stamp = '', format, snapshot = '', written, cut] = fields.map(String);
  return {
    epoch,
    position: Number(position),
    stamp,
    format: Number(format),
    snapshot: JSON.parse(snapshot) as StoredSnapshot,
    writtenBytes: Number(written),
    snapshotBytes: Number(cut),
  };
}

function entryOf(reply: RedisReply): CommandEntry {
  const [id, fields] = reply as readonly [RedisReply, readonly RedisReply[]];
  const [, stamp, , follows, , command] = fields;
  if (!Buffer.isBuffer(command)) throw new Error(`entry ${String(id)} of the shared log has no command`);
  return { position: Number.parseInt(String(id), 10), stamp: String(stamp), follows: String(follows), command };
}
