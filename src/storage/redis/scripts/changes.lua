-- KEYS[1] the room. ARGV: place in its log, how many entries. Gives the room, the entries after the place, the oldest entry.
local log = KEYS[1] .. ':log'
return {
  redis.call('HMGET', KEYS[1] .. ':room', 'version', 'room'),
  redis.call('XRANGE', log, '(' .. ARGV[1], '+', 'COUNT', ARGV[2]),
  redis.call('XRANGE', log, '-', '+', 'COUNT', '1'),
}
