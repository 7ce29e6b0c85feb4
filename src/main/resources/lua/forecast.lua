#!lua flags=no-writes,allow-oom
--[[
  How many delayed jobs of a topic come due in each step of time; what is overdue counts to the first.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] topic
  ARGV[4] from   ms since 1970; 0: now
  ARGV[5] step   ms
  ARGV[6] window  ms; the last step may be cut short by it
  ARGV[7] at     the step to begin with, 0 for the first
  ARGV[8] limit  most steps
  Returns {from, count, ...}
]]
local k = keys_of(ARGV[3])
local from, step, window = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local begin, limit = tonumber(ARGV[7]) * step, tonumber(ARGV[8])
if from == 0 then from = now end

local function due_before(past)
  return call('ZCOUNT', k.clock, '-inf', '(' .. string.format('%.0f', from + math.min(past, window)))
end

local answer, before = {from}, begin > 0 and due_before(begin) or 0
for past = begin, math.min(window, begin + limit * step) - 1, step do
  local passed = due_before(past + step)
  answer[#answer + 1] = passed - before
  before = passed
end
return answer
