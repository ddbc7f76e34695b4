-- KEYS[1] the keyspace. ARGV: which of its logs, place in it, how many entries, revision of the place. Gives the keyspace, the
-- entries after the place, the oldest entry, the places that there are of the revision.
local log = KEYS[1] .. ':' .. ARGV[1]
local here = redis.call('XRANGE', log, ARGV[4], ARGV[4])
for at, entry in ipairs(here) do here[at] = entry[1] end
return {
  redis.call('HMGET', KEYS[1] .. ':room', 'version', 'room'),
  redis.call('XRANGE', log, '(' .. ARGV[2], '+', 'COUNT', ARGV[3]),
  redis.call('XRANGE', log, '-', '+', 'COUNT', '1'),
  here,
}
