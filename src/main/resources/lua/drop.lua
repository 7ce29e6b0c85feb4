#!lua flags=allow-oom
--[[
  The end of a topic in this bucket, once its jobs are gone. If new ones have come meanwhile, they are a new topic's.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  Returns {1 if the topic is gone, else 0}
]]
local known = replay()
if known then return known end
local k = keys_of(ARGV[4], 'jobs', 'heads', 'turn', 'rate', 'n', 'h', 'l', 'c', 'ghosts')
local empty = call('HLEN', k.jobs) == 0
if empty then
  for _, kind in ipairs({'c', 'l', 'e', 'd', 'o', 'g'}) do call('ZREM', KEYS[1], kind .. k.topic) end
  call('UNLINK', k.heads, k.turn, k.rate, k.n, k.h, k.l, k.c, k.ghosts)
  call('HDEL', KEYS[2], k.topic)
  call('ZREM', KEYS[3], k.topic)
  call('SREM', KEYS[4], k.topic)
end
return remember({empty and 1 or 0})
