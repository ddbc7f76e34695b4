-- KEYS[1] the keyspace. ARGV: view; number of ids, ids; request ids.
-- Gives the keyspace, a row (or nothing) for each id, and what is kept for each request id.
local keyspace, view = KEYS[1], ARGV[1]
local kept = 3 + ARGV[2]
local numbers, places, entries, outcomes = {}, {}, {}, {}
for from = 3, kept - 1, 1000 do
  local sequences = redis.call('HMGET', keyspace .. ':ids', unpack(ARGV, from, math.min(from + 999, kept - 1)))
  for place, sequence in ipairs(sequences) do
    entries[from - 3 + place] = false
    if sequence then
      -- The revision is behind the number.
      numbers[#numbers + 1] = string.sub(sequence, 1, 10)
      places[#places + 1] = from - 3 + place
    end
  end
end
for at, row in ipairs(rows(keyspace, numbers, view)) do entries[places[at]] = row end
for at = kept, #ARGV do outcomes[#outcomes + 1] = redis.call('GET', keyspace .. ':r:' .. ARGV[at]) end
return { redis.call('HMGET', keyspace .. ':room', 'version', 'room'), entries, outcomes }
