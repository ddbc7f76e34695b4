-- KEYS[1] the keyspace. ARGV: place in its log, how many entries, revision of the place. Gives the keyspace, the
-- entries after the place, the oldest entry, the places that there are of the revision.
local log = KEYS[1] .. ':log'
local here = redis.call('XRANGE', log, ARGV[3], ARGV[3])
for at, entry in ipairs(here) do here[at] = entry[1] end
return {
  redis.call('HMGET', KEYS[1] .. ':room', 'version', 'room'),
  redis.call('XRANGE', log, '(' .. ARGV[1], '+', 'COUNT', ARGV[2]),
  redis.call('XRANGE', log, '-', '+', 'COUNT', '1'),
  here,
}
