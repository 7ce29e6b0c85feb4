#!lua flags=no-writes,allow-oom
--[[
  A page of the bucket's topics in the order of their names, with their settings.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] from   lower end of the range, as ZRANGE BYLEX takes it
  ARGV[4] to     upper end, likewise
  ARGV[5] limit  most names
  Returns {last version of settings, then for each topic: its name, its settings as stored}
]]
local answer = {tonumber(call('HGET', KEYS[2], '#rev') or 0)}
for _, topic in ipairs(call('ZRANGE', KEYS[3], ARGV[3], ARGV[4], 'BYLEX', 'LIMIT', 0, tonumber(ARGV[5]))) do
  answer[#answer + 1] = topic
  answer[#answer + 1] = call('HGET', KEYS[2], topic) or ''
end
return answer
