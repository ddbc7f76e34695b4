-- KEYS[1] the room. ARGV: number of members, members, fields. Gives member and fields of those that are there.
local rows = {}
for at = 2, 1 + ARGV[1] do
  local key = KEYS[1] .. ':m:' .. ARGV[at]
  if redis.call('EXISTS', key) == 1 then
    rows[#rows + 1] = { ARGV[at], redis.call('HMGET', key, unpack(ARGV, 2 + ARGV[1])) }
  end
end
return rows
