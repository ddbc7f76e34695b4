-- KEYS[1] the room. ARGV: version that the room must have ('' when it must not be there); number of ids and ids that must
-- be free; number of request ids and those that must be unused; then commands, each after the number of its parts.
-- Changes all or, when something is otherwise, nothing and gives 0.
local room = KEYS[1]
if (redis.call('HGET', room .. ':room', 'version') or '') ~= ARGV[1] then return 0 end
local at = 2
for place = at + 1, at + ARGV[at] do
  if redis.call('HEXISTS', room .. ':ids', ARGV[place]) == 1 then return 0 end
end
at = at + 1 + ARGV[at]
for place = at + 1, at + ARGV[at] do
  if redis.call('EXISTS', room .. ':r:' .. ARGV[place]) == 1 then return 0 end
end
at = at + 1 + ARGV[at]
while ARGV[at] do
  local parts = tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, at + parts))
  at = at + 1 + parts
end
return 1
