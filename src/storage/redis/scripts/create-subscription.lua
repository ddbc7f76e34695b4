-- KEYS[1] the keyspace. ARGV: id; what to keep of the subscription; its key; most subscriptions of a namespace; request id, or
-- ''; what to keep for that; for how many milliseconds. Gives what was kept for the request id, or a word.
local keyspace = KEYS[1]
local kept = ARGV[5] ~= '' and redis.call('GET', keyspace .. ':r:' .. ARGV[5])
if kept then return { 'kept', kept } end
if redis.call('HEXISTS', keyspace .. ':s', ARGV[1]) == 1 then return { 'there' } end
if redis.call('HLEN', keyspace .. ':s') >= tonumber(ARGV[4]) then return { 'full' } end
redis.call('HSET', keyspace .. ':s', ARGV[1], ARGV[2])
redis.call('HSET', keyspace .. ':sc:' .. ARGV[3], 'made', '1')
if ARGV[5] ~= '' then redis.call('SET', keyspace .. ':r:' .. ARGV[5], ARGV[6], 'PX', ARGV[7]) end
return { 'done' }
