import type { LeaseTable } from '../job-leases.ts';
import { type RedisConnection, scriptOf } from './connection.ts';

type Asked<K extends keyof LeaseTable> = Parameters<LeaseTable[K]>[0];

/**
 * Leases of jobs are a hash by job. `leaseOf` returns the number of the latest taking, its owner and its end;
 * `clock` the milliseconds and microseconds of Redis.
 */
const LEASES = `local leases = KEYS[1] .. ':leases'
local function leaseOf(job)
  local number, owner, ends = string.match(redis.call('HGET', leases, job) or '', '^(%d+) (%S+) (%d+)$')
  return number, owner, tonumber(ends or '0')
end
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000), time[1] * 1000000 + time[2]
end
local function put(job, number, owner, ends)
  redis.call('HSET', leases, job, number .. ' ' .. owner .. ' ' .. string.format('%.0f', ends))
end
`;

/** Numbers begin at the time: they also rise where Redis has lost the former ones. ARGV: job, owner, ms. */
const TAKE = `${LEASES}local number, owner, ends = leaseOf(ARGV[1])
local now, micros = clock()
if number and owner ~= ARGV[2] and ends > now then return false end
local taken = string.format('%.0f', math.max(tonumber(number or '0') + 1, micros))
put(ARGV[1], taken, ARGV[2], now + ARGV[3])
return taken`;

/** ARGV: job, number, ms. */
const EXTEND = `${LEASES}local number, owner = leaseOf(ARGV[1])
if number ~= ARGV[2] then return 0 end
local now = clock()
put(ARGV[1], number, owner, now + ARGV[3])
return 1`;

/** ARGV: owner. */
const END_ALL = `${LEASES}for _, job in ipairs(redis.call('HKEYS', leases)) do
  local number, owner = leaseOf(job)
  local now = clock()
  if owner == ARGV[1] then put(job, number, owner, now) end
end
return 1`;

/**
 * Lua that finds leases which are not the latest of their jobs. Expects in ARGV, from `first` on, the number of leases, then
 * the job and the number of each. Sets `lost` to their places, from 1, and `after` to the next argument.
 */
export const findLostLeases = (first: number): string => `local lost, after = {}, ${first + 1} + 2 * ARGV[${first}]
for at = ${first + 1}, after - 1, 2 do
  local known = redis.call('HGET', KEYS[1] .. ':leases', ARGV[at])
  if string.match(known or '', '^%d+') ~= ARGV[at + 1] then lost[#lost + 1] = (at - ${first + 1}) / 2 + 1 end
end
`;

const scripts = {
  // They write few bytes, and are needed most while memory is used up.
  take: scriptOf('lease-take', 'erase', TAKE),
  extend: scriptOf('lease-extend', 'erase', EXTEND),
  endAll: scriptOf('lease-end-all', 'erase', END_ALL),
};

/** Leases in a hash of a keyspace, which end by the clock of Redis. Scripts of the keyspace compare their numbers. */
export class RedisLeaseTable implements LeaseTable {
  private readonly connection: RedisConnection;
  private readonly keyspace: string;

  /** `keyspace`: common prefix of its keys; one hash tag. */
  constructor(connection: RedisConnection, keyspace: string) {
    this.connection = connection;
    this.keyspace = keyspace;
  }

  async take({ job, owner, ms }: Asked<'take'>): Promise<number | undefined> {
    const taken = await this.connection.run(scripts.take, this.keyspace, [job, owner, `${ms}`]);
    return taken === null ? undefined : Number(String(taken));
  }
  async extend({ job, number, ms }: Asked<'extend'>): Promise<boolean> {
    return (await this.connection.run(scripts.extend, this.keyspace, [job, `${number}`, `${ms}`])) === 1;
  }
  async endAll(owner: string): Promise<void> {
    await this.connection.run(scripts.endAll, this.keyspace, [owner]);
  }
}
