-- KEYS[1] the keyspace. ARGV: key of the subscription; name of the claimant; until when; now; then changes by their revision in the keyspace.
-- Gives for each 'm' when it is the claimer's now, 't' when it is another's, 'd' when it is done.
local cursors, work = KEYS[1] .. ':sc:' .. ARGV[1], KEYS[1] .. ':sw:' .. ARGV[1]
local owner, untilMs, nowMs = ARGV[2], ARGV[3], tonumber(ARGV[4])
local reached = tonumber(redis.call('HGET', cursors, '|origin') or '-1')
local answers = {}
for place = 5, #ARGV do
  local held = redis.call('HGET', work, ARGV[place])
  local holder, deadline = string.match(held or '', '^([^|]*)|(%d+)$')
  if held == 'd' or tonumber(ARGV[place]) <= reached then
    answers[#answers + 1] = 'd'
  elseif holder and holder ~= owner and tonumber(deadline) > nowMs then
    answers[#answers + 1] = 't'
  else
    redis.call('HSET', work, ARGV[place], owner .. '|' .. untilMs)
    answers[#answers + 1] = 'm'
  end
end
return answers
