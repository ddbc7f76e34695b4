-- KEYS[1] the keyspace. ARGV: key of the subscription; name of the consumer that returns its claims.
local work = KEYS[1] .. ':sw:' .. ARGV[1]
local held = redis.call('HGETALL', work)
for place = 1, #held, 2 do
  if string.match(held[place + 1], '^([^|]*)|') == ARGV[2] then redis.call('HDEL', work, held[place]) end
end
return 0
