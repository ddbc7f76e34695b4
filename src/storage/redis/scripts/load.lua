-- KEYS[1] the room. ARGV: number of fields, fields; number of ids, ids; request ids.
-- Gives the room, an entry (or nothing) for each id, and what is kept for each request id.
local room = KEYS[1]
local fields = 2
local ids = fields + ARGV[1] + 1
local kept = ids + ARGV[ids - 1]
local entries, outcomes = {}, {}
-- Far fewer at once than Lua can take.
for from = ids, kept - 1, 1000 do
  local sequences = redis.call('HMGET', room .. ':ids', unpack(ARGV, from, math.min(from + 999, kept - 1)))
  for place, sequence in ipairs(sequences) do
    entries[from - ids + place] = sequence and redis.call('HMGET', room .. ':m:' .. sequence, unpack(ARGV, fields, ids - 2))
  end
end
for at = kept, #ARGV do outcomes[#outcomes + 1] = redis.call('GET', room .. ':r:' .. ARGV[at]) end
return { redis.call('HMGET', room .. ':room', 'version', 'room'), entries, outcomes }
