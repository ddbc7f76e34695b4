-- KEYS[1] the keyspace. ARGV: id; its key; request id, or ''; what to keep for that; for how many milliseconds. Gives what was
-- kept for the request id, or a word.
local keyspace = KEYS[1]
local kept = ARGV[3] ~= '' and redis.call('GET', keyspace .. ':r:' .. ARGV[3])
if kept then return { 'kept', kept } end
if redis.call('EXISTS', keyspace .. ':sc:' .. ARGV[2]) == 0 then return { 'gone' } end
redis.call('HDEL', keyspace .. ':s', ARGV[1])
redis.call('DEL', keyspace .. ':sc:' .. ARGV[2], keyspace .. ':sw:' .. ARGV[2])
if ARGV[3] ~= '' then redis.call('SET', keyspace .. ':r:' .. ARGV[3], ARGV[4], 'PX', ARGV[5]) end
return { 'done' }
