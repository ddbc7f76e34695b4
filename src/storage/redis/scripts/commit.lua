-- KEYS[1] the keyspace. ARGV[1] packs, in MessagePack: version that the keyspace must have ('' when it must not be there); number
-- of ids and ids that must be free; number of request ids and those that must be unused; then commands, each after the
-- number of its parts. Changes all or, when something is otherwise, nothing and gives 0.
local keyspace = KEYS[1]
local args = cmsgpack.unpack(ARGV[1])
local version = redis.call('HGET', keyspace .. ':room', 'version')
if (version or '') ~= args[1] then return 0 end
local at = 2
for place = at + 1, at + args[at] do
  if redis.call('HEXISTS', keyspace .. ':ids', args[place]) == 1 then return 0 end
end
at = at + 1 + args[at]
for place = at + 1, at + args[at] do
  if redis.call('EXISTS', keyspace .. ':r:' .. args[place]) == 1 then return 0 end
end
at = at + 1 + args[at]
while args[at] do
  local last = at + tonumber(args[at])
  redis.call(unpack(args, at + 1, last))
  at = last + 1
end
return 1
