#!lua flags=allow-oom
--[[
  Keeps how all servers did, a text for each step of time, for as many steps as are wanted. Called in bucket 0, where
  the servers are kept. Whoever adds a second text in one step is too late: each step has one.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] text   to be added; empty: it is only asked for what there is
  ARGV[4] step   ms
  ARGV[5] steps  that are kept
  Returns {1 if the text was added, else 0; and if it was only asked, the texts of the last steps, oldest first}
]]
local text, step, steps = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local function at(entry)
  return tonumber(string.match(entry, '^%d+'))
end
if text == '' then
  local answer = {0}
  for _, entry in ipairs(call('LRANGE', history_key, 0, -1)) do
    if at(entry) > now - step * steps then answer[#answer + 1] = string.match(entry, '^%d+ (.*)$') end
  end
  return answer
end
local last = call('LINDEX', history_key, -1)
-- the servers' timers are not exact; and one that is ahead of now was written before the clock was set back
if last and math.abs(now - at(last)) < step / 2 then return {0} end
call('RPUSH', history_key, int(now) .. ' ' .. text)
call('LTRIM', history_key, -steps, -1)
call('PEXPIRE', history_key, int(step * steps))
return {1}
