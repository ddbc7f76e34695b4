-- KEYS[1] the room. ARGV: order, 1 for rising or -1, score and member to begin after ('' for the first), how many, view.
-- Gives the scores of the entries that follow, and a row of each. Where to begin is looked for by halves: the one before may
-- be gone.
local order = KEYS[1] .. ':o:' .. ARGV[1]
local rising = ARGV[2] == '1'
local range = rising and 'ZRANGE' or 'ZREVRANGE'
local first = 0
if ARGV[3] ~= '' then
  local score, member = tonumber(ARGV[3]), ARGV[4]
  local low, high = 0, redis.call('ZCARD', order)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call(range, order, middle, middle, 'WITHSCORES')
    local difference = tonumber(found[2]) - score
    local isPast
    if difference == 0 then
      if rising then isPast = found[1] > member else isPast = found[1] < member end
    else
      isPast = (difference > 0) == rising
    end
    if isPast then high = middle else low = middle + 1 end
  end
  first = low
end
local found = redis.call(range, order, first, first + ARGV[5] - 1, 'WITHSCORES')
local members, scores = {}, {}
for at = 1, #found, 2 do
  members[#members + 1] = found[at]
  scores[#scores + 1] = found[at + 1]
end
return { scores, rows(KEYS[1], members, ARGV[6]) }
