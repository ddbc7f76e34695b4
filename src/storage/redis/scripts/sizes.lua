-- KEYS[1] the room. ARGV: indexes as triples of name, lowest and highest score; both are '' for a set. Gives their sizes.
local sizes = {}
for at = 1, #ARGV, 3 do
  local key = KEYS[1] .. ':' .. ARGV[at]
  if ARGV[at + 1] == '' then
    sizes[#sizes + 1] = redis.call('SCARD', key)
  else
    sizes[#sizes + 1] = redis.call('ZCOUNT', key, ARGV[at + 1], ARGV[at + 2])
  end
end
return sizes
