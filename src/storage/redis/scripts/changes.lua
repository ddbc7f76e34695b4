-- KEYS[1] the room. ARGV: which of its logs, place in it, how many entries. Gives the room, the entries after the place,
-- the oldest entry.
local log = KEYS[1] .. ':' .. ARGV[1]
return {
  redis.call('HMGET', KEYS[1] .. ':room', 'version', 'room'),
  redis.call('XRANGE', log, '(' .. ARGV[2], '+', 'COUNT', ARGV[3]),
  redis.call('XRANGE', log, '-', '+', 'COUNT', '1'),
}
