-- KEYS[1] the keyspace. ARGV: id; its key; request id, or ''; what to keep for that; for how many milliseconds. Gives what was
-- kept for the request id, or a word.
local room = KEYS[1]
local kept = ARGV[3] ~= '' and redis.call('GET', room .. ':r:' .. ARGV[3])
if kept then return { 'kept', kept } end
if redis.call('EXISTS', room .. ':sc:' .. ARGV[2]) == 0 then return { 'gone' } end
redis.call('HDEL', room .. ':s', ARGV[1])
redis.call('DEL', room .. ':sc:' .. ARGV[2], room .. ':sw:' .. ARGV[2])
if ARGV[3] ~= '' then redis.call('SET', room .. ':r:' .. ARGV[3], ARGV[4], 'PX', ARGV[5]) end
return { 'done' }
