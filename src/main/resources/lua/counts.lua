#!lua flags=no-writes,allow-oom
--[[
  How many jobs of the topics stand in each state.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3..] topic, ...
  Returns {for each topic: its settings as stored, false if the bucket does not know it; how many are delayed, ready,
    reserved, dead, done}
]]
local answer = {}
for at = 3, #ARGV do
  local k = keys_of(ARGV[at])
  local entries, ghosts = ready_count(k)
  for _, value in ipairs({call('HGET', KEYS[2], ARGV[at]), call('ZCARD', k.clock), entries - ghosts,
    call('ZCARD', k.lease), call('ZCARD', k.dead), call('ZCARD', k.done)}) do
    answer[#answer + 1] = value
  end
end
return answer
