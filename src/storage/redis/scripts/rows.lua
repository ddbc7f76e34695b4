-- Rows of memories by their numbers: number, its entry, a long body, the vector; the last two where the view has them, and
-- `false` for what is not there. A value of another type is not there. The view `sums` has what a vector ends with.
local function rows(keyspace, numbers, view)
  local found = {}
  -- Far fewer at once than Lua can take.
  for from = 1, #numbers, 1000 do
    local keys = {}
    for at = from, math.min(from + 999, #numbers) do keys[#keys + 1] = keyspace .. ':e:' .. numbers[at] end
    local entries = redis.call('MGET', unpack(keys))
    for place = 1, #keys do
      local number, entry = numbers[from + place - 1], entries[place]
      local isLong = (view == 'full' or view == 'basic') and entry and string.byte(entry) == 3
      local body = isLong and redis.call('MGET', keyspace .. ':b:' .. number)[1]
      local vector = view == 'full' and redis.call('MGET', keyspace .. ':u:' .. number)[1]
      if view == 'sums' then
        local tail = redis.pcall('GETRANGE', keyspace .. ':u:' .. number, -5, -1)
        vector = type(tail) == 'string' and tail ~= '' and tail
      end
      found[#found + 1] = { number, entry, body, vector }
    end
  end
  return found
end
