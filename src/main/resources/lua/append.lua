#!lua flags=allow-oom
--[[
  Puts entries at the end of a Redis list: on a cluster the part of enlist that lies on the list's node.
  KEYS[1] list   LIST  anybody's
  ARGV[1..] the entries
  Returns {1; or 0 if the key holds something else than a list}
]]
local holds_list = call('TYPE', KEYS[1]).ok
if holds_list ~= 'list' and holds_list ~= 'none' then return {0} end
for i = 1, #ARGV do call('RPUSH', KEYS[1], ARGV[i]) end
return {1}
