-- KEYS[1] the room. ARGV: number of fields, fields; number of ids, ids; request ids.
-- Gives the room, an entry (or nothing) for each id, and what is kept for each request id.
local room = KEYS[1]
local at = 2
local fields, ids, entries, kept = {}, {}, {}, {}
for _ = 1, ARGV[1] do fields[#fields + 1] = ARGV[at]; at = at + 1 end
local last = at + ARGV[at]
at = at + 1
while at <= last do ids[#ids + 1] = ARGV[at]; at = at + 1 end
for place, id in ipairs(ids) do
  local sequence = redis.call('HGET', room .. ':ids', id)
  entries[place] = sequence and redis.call('HMGET', room .. ':m:' .. sequence, unpack(fields))
end
while ARGV[at] do kept[#kept + 1] = redis.call('GET', room .. ':r:' .. ARGV[at]); at = at + 1 end
return { redis.call('HMGET', room .. ':room', 'version', 'room'), entries, kept }
