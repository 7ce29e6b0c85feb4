#!lua flags=no-writes,allow-oom
--[[
  How many delayed jobs of a topic come due in each step of time; what is overdue counts to the first.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] topic
  ARGV[4] from   ms since 1970; 0: now
  ARGV[5] step   ms
  ARGV[6] window  ms; the last step may be cut short by it
  Returns {from, count, ...}
]]
local k = keys_of(ARGV[3])
local from, step, window = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if from == 0 then from = now end
local answer, before = {from}, 0
for begin = 0, window - 1, step do
  local passed = call('ZCOUNT', k.clock, '-inf', '(' .. string.format('%.0f', from + math.min(begin + step, window)))
  answer[#answer + 1] = passed - before
  before = passed
end
return answer
