#!lua flags=allow-oom
--[[
  Moves entries that are no jobs from the list that they came in on to the list of bad ones. Not on a cluster.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] list  its key
  ARGV[4] bad   key of the list of bad ones
  ARGV[5] kept  most entries of that
  ARGV[6] near  how many entries of the list are looked at
  ARGV[7..] entry, what is kept of it; again for each
  Returns {how many were moved; nothing is done if the key holds something else than a list}
]]
local list, bad, moved = ARGV[3], ARGV[4], 0
local kind = call('TYPE', bad).ok
if kind ~= 'list' and kind ~= 'none' then return {0} end
for at = 7, #ARGV, 2 do
  if call('LPOS', list, ARGV[at], 'MAXLEN', ARGV[6]) then
    call('LREM', list, 1, ARGV[at])
    call('RPUSH', bad, ARGV[at + 1])
    moved = moved + 1
  end
end
call('LTRIM', bad, '-' .. ARGV[5], -1)
return {moved}
