-- KEYS[1] the room. ARGV: view, members. Gives a row of each.
return rows(KEYS[1], { unpack(ARGV, 2) }, ARGV[1])
