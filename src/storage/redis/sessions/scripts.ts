import { sessionScript } from './session-script.ts';

/**
 * Reads what a write needs of a session, of one moment.
 * ARGV: base of the keys, key of the request or '', what (letters, see `Wanted`), number of checkpoints, their ids, keys.
 * Answer: record, revision, kept outcome, entries of the keys, all entries, notes, checkpoints, manifest pairs, packs.
 */
export const loadScript = sessionScript(
  'session-load',
  'read',
  `
local base, request, what, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local wants = function(letter) return string.find(what, letter, 1, true) ~= nil end
local record = redis.call('HMGET', base .. ':record', 'json', 'rev')
local kept = false
if request ~= '' then kept = redis.call('GET', request) end
local some = {}
for at = 5 + count, #ARGV do some[at - 4 - count] = redis.call('HGET', base .. ':entries', ARGV[at]) end
local all, notes, checkpoints, manifests, packs = {}, {}, {}, {}, {}
if wants('A') then all = redis.call('HGETALL', base .. ':entries') end
if wants('N') then notes = redis.call('ZRANGE', base .. ':notes', 0, -1)
elseif wants('F') then notes = redis.call('ZRANGE', base .. ':notes', 0, 63) end
if wants('C') then checkpoints = redis.call('HGETALL', base .. ':checkpoints') end
local ids = {}
for at = 5, 4 + count do ids[#ids + 1] = ARGV[at] end
if wants('H') and record[1] then ids[#ids + 1] = cjson.decode(record[1]).headCheckpoint end
for _, id in ipairs(ids) do
  local manifest = redis.call('HGET', base .. ':manifests', id)
  if manifest then manifests[#manifests + 1] = id manifests[#manifests + 1] = manifest end
  local checkpoint = redis.call('HGET', base .. ':checkpoints', id)
  if wants('P') and checkpoint then
    for _, number in ipairs(cjson.decode(checkpoint).packs) do
      local name = string.format('%.0f', number)
      local pack = redis.call('HGET', base .. ':packs', name)
      if pack then packs[#packs + 1] = name packs[#packs + 1] = pack end
    end
  end
end
return {record[1], record[2], kept, some, all, notes, checkpoints, manifests, packs}`,
);

/**
 * Carries out commands if the session is still at the revision that they were made for.
 * ARGV: key of the record, revision or '' for no session, then commands: number of parts, parts. EVENT takes the keys of
 * the events and their ends, instant, body, and numbers the event itself. Answer: 1, or 0 when the session has changed.
 */
export const commitScript = sessionScript(
  'session-commit',
  'write',
  `
local rev = redis.call('HGET', ARGV[1], 'rev') or ''
if rev ~= ARGV[2] then return 0 end
redis.call('HINCRBY', KEYS[1] .. ':marker', 'version', 1)
local at = 3
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  local command = {}
  for part = 1, count do command[part] = ARGV[at + part] end
  at = at + count + 1
  if command[1] == 'EVENT' then
    local sequence = redis.call('HINCRBY', command[3], 'newest', 1)
    redis.call('ZADD', command[2], sequence, sequence .. ':' .. command[4] .. ':' .. command[5])
  else
    redis.call(unpack(command))
  end
end
return 1`,
);

/** ARGV: base, id, keys of the sets that name the session. Answer: whether the session was there. */
export const eraseScript = sessionScript(
  'session-erase',
  'erase',
  `
local base, was = ARGV[1], redis.call('EXISTS', ARGV[1] .. ':record')
for _, part in ipairs({'record', 'entries', 'expiries', 'notes', 'checkpoints', 'manifests', 'packs', 'changes'}) do
  redis.call('UNLINK', base .. ':' .. part)
end
for at = 3, #ARGV do redis.call('ZREM', ARGV[at], ARGV[2]) end
redis.call('HINCRBY', KEYS[1] .. ':marker', 'version', 1)
return was`,
);

/** Entries of keys without their bytes, where told so. ARGV: base, 'heads' or 'values', keys. */
export const entriesScript = sessionScript(
  'session-entries',
  'read',
  `
local found = {}
for at = 3, #ARGV do
  local entry = redis.call('HGET', ARGV[1] .. ':entries', ARGV[at])
  if entry and ARGV[2] == 'heads' then entry = string.sub(entry, 1, string.find(entry, '\\n', 1, true)) end
  found[at - 2] = entry
end
return {redis.call('HGET', ARGV[1] .. ':record', 'rev'), found}`,
);

/** Record, and heads of the keys that have expired. ARGV: base, instant. */
export const statisticsScript = sessionScript(
  'session-statistics',
  'read',
  `
local heads = {}
for at, key in ipairs(redis.call('ZRANGEBYSCORE', ARGV[1] .. ':expiries', '-inf', ARGV[2])) do
  local entry = redis.call('HGET', ARGV[1] .. ':entries', key) or '\\n'
  heads[at] = string.sub(entry, 1, string.find(entry, '\\n', 1, true))
end
return {redis.call('HGET', ARGV[1] .. ':record', 'json'), heads}`,
);

/** Whole writes of at least one and about so many changes. ARGV: base, revision, limit. */
export const changesScript = sessionScript(
  'session-changes',
  'read',
  `
local key = ARGV[1] .. ':changes'
local found = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local last = found[#found]
local changes = {}
if last then changes = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[2], last) end
return {redis.call('HGET', ARGV[1] .. ':record', 'json'), changes}`,
);

/** One command that reads. ARGV: its parts. */
export const readScript = sessionScript('session-read', 'read', 'return redis.call(unpack(ARGV))');
