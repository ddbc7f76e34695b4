-- KEYS[1] the room. ARGV[1] packs, in MessagePack: version that the room must have ('' when it must not be there); number
-- of ids and ids that must be free; number of request ids and those that must be unused; then commands, each after the
-- number of its parts. Changes all or, when something is otherwise, nothing and gives 0. One command is the script's own: SUM,
-- a key, then names and what is to be added. When the first of these sums comes to nothing all of them go.
local room = KEYS[1]
local args = cmsgpack.unpack(ARGV[1])
local version, swept = unpack(redis.call('HMGET', room .. ':room', 'version', 'swept'))
if (version or '') ~= args[1] then return 0 end
local at = 2
for place = at + 1, at + args[at] do
  if redis.call('HEXISTS', room .. ':ids', args[place]) == 1 then return 0 end
end
at = at + 1 + args[at]
for place = at + 1, at + args[at] do
  if redis.call('EXISTS', room .. ':r:' .. args[place]) == 1 then return 0 end
end
at = at + 1 + args[at]
local sums
while args[at] do
  local last = at + tonumber(args[at])
  if args[at + 1] == 'SUM' then
    sums = args[at + 2]
    local first = redis.call('HINCRBY', sums, args[at + 3], args[at + 4])
    for place = at + 5, last, 2 do
      if args[place + 1] ~= '0' then redis.call('HINCRBY', sums, args[place], args[place + 1]) end
    end
    if first == 0 then
      for place = at + 3, last, 2 do redis.call('HDEL', sums, args[place]) end
    end
  else
    redis.call(unpack(args, at + 1, last))
  end
  at = last + 1
end
-- Former versions have left sums of nothing: each write looks through some, until it has looked through all.
if sums and swept ~= 'done' then
  local found = redis.call('HSCAN', sums, swept or '0', 'COUNT', '100')
  for place = 1, #found[2], 2 do
    if found[2][place + 1] == '0' then redis.call('HDEL', sums, found[2][place]) end
  end
  redis.call('HSET', room .. ':room', 'swept', found[1] == '0' and 'done' or found[1])
end
return 1
