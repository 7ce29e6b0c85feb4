#!lua flags=allow-oom
--[[
  Who reserves from a topic with a limit takes turns, over all processes. Kept in one bucket for each topic.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  ARGV[5] who   takes or ends its turn
  ARGV[6] used  -1: takes a turn; else ends it, having reserved so many
  ARGV[7] most  ms that a turn lasts if it is not ended
  Returns {1 if it is the caller's turn, else 0; ms to wait for what is lacking; how many the rate allows, -1: any;
    how many may be reserved at a time, -1: any}
]]
local known = replay()
if known then return known end
local k = keys_of(ARGV[4], 'turn', 'rate')
local set, used = settings_of(k.topic), tonumber(ARGV[6])
local holder = call('GET', k.turn)
local now_us = time[1] * 1000000 + time[2]
local allowed, wait, taken = -1, 0, 1
if set.ratePerSecond then
  -- jobs are spread evenly: `rate` is when the next one may go, at most a tenth of a second's worth at once
  local each = 1000000 / set.ratePerSecond
  local next_at = math.max(tonumber(call('GET', k.rate) or 0), now_us)
  if used > 0 then
    next_at = next_at + used * each
    call('SET', k.rate, string.format('%.0f', next_at), 'PX', math.ceil((next_at - now_us) / 1000) + 1000)
  end
  local burst = math.max(each, 100000)
  allowed = math.floor((burst - (next_at - now_us)) / each + 0.000001)
  if allowed < 1 then allowed, wait = 0, math.ceil((next_at - now_us + each - burst) / 1000) end
end
if used >= 0 then
  if holder == ARGV[5] then call('DEL', k.turn) end
elseif holder and holder ~= ARGV[5] then
  taken, wait = 0, call('PTTL', k.turn)
else
  call('SET', k.turn, ARGV[5], 'PX', tonumber(ARGV[7]))
end
return remember({taken, wait, allowed, set.maxInFlight or -1})
