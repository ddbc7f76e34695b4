-- KEYS[1] the keyspace. ARGV: key of the subscription; name of the server's log; then for each consumer its name, its revision
-- in that log with the term of it, epoch and revision of the keyspace, when it was seen, '1' when it only goes forward, number of
-- changes that are done beyond that, and these. Changes nothing when the subscription is gone.
local keyspace = KEYS[1]
local cursors, work = keyspace .. ':sc:' .. ARGV[1], keyspace .. ':sw:' .. ARGV[1]
if redis.call('EXISTS', cursors) == 0 then return 0 end
local at = 3
while ARGV[at] do
  local name, revision, epoch, origin, seen = ARGV[at] .. '|', ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local isForward, last = ARGV[at + 5] == '1', at + 6 + ARGV[at + 6]
  local before = redis.call('HGET', cursors, name .. 'epoch') == epoch and redis.call('HGET', cursors, name .. 'origin')
  for place = at + 7, last do redis.call('HSET', work, ARGV[place], 'd') end
  if not isForward or not before or tonumber(before) < tonumber(origin) then
    redis.call('HSET', cursors, name .. 'epoch', epoch, name .. 'origin', origin)
    for _, claimed in ipairs(redis.call('HKEYS', work)) do
      if not isForward or tonumber(claimed) <= tonumber(origin) then redis.call('HDEL', work, claimed) end
    end
  end
  redis.call('HSET', cursors, name .. 'at|' .. ARGV[2], revision, name .. 'seen', seen)
  at = last + 1
end
return 1
