#!lua
--[[
  Makes topics with the settings that they had before a rebucket. Changes nothing the second time.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] version  of the last change of settings
  ARGV[4..] topic, settings as stored ('': none, if there are none yet); again for each topic
  Returns {how many topics}
]]
for at = 4, #ARGV, 2 do
  call(ARGV[at + 1] == '' and 'HSETNX' or 'HSET', KEYS[2], ARGV[at], ARGV[at + 1])
  call('ZADD', KEYS[3], 0, ARGV[at])
end
if ARGV[3] ~= '0' then call('HSET', KEYS[2], '#rev', ARGV[3]) end
return {(#ARGV - 3) / 2}
