#!lua flags=allow-oom
--[[
  The net under lost hints: the bucket's alarm, and topics with ready jobs (at random if there are very many). Says so
  on the hints' channel, so that a subscriber that has gone deaf is found out.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] limit  most topics to name
  Returns {now, next alarm or -1, last version of settings, topic, ...}
]]
local alarm = tonumber(call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
local answer = {now, alarm or -1, tonumber(call('HGET', KEYS[2], '#rev') or 0)}
for _, topic in ipairs(call('SRANDMEMBER', KEYS[4], tonumber(ARGV[3]))) do answer[#answer + 1] = topic end
call('PUBLISH', ARGV[1], 'l' .. ARGV[2])
return answer
