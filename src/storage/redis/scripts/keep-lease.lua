-- KEYS[1] the keyspace. ARGV: key of the subscription; name of the lease; its holder; milliseconds by which it is extended, 0 to end it.
-- Gives 1 when the holder had the lease.
local lease = KEYS[1] .. ':sl:' .. ARGV[1] .. ':' .. ARGV[2]
if redis.call('GET', lease) ~= ARGV[3] then return 0 end
if ARGV[4] == '0' then redis.call('DEL', lease) else redis.call('PEXPIRE', lease, ARGV[4]) end
return 1
