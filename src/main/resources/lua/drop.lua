#!lua flags=allow-oom
--[[
  The end of a topic in this bucket, once its jobs are gone. If new ones have come meanwhile, they are a new topic's,
  without settings. A change like others (see configure.lua): bucket 0 numbers it, so that no earlier one undoes it.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  ARGV[5] version  bucket 0's number of this change; 0 in bucket 0
  Returns {the number of this change}
]]
local known = replay()
if known then return known end
local k, number = keys_of(ARGV[4], 'jobs', 'heads', 'turn', 'rate', 'n', 'h', 'l', 'c', 'ghosts'), tonumber(ARGV[5])
local stored = call('HGET', KEYS[2], k.topic)
local seen = tonumber(call('HGET', KEYS[2], '#rev') or 0)
if number == 0 then
  number = call('HINCRBY', KEYS[2], '#rev', 1)
  call('PUBLISH', ARGV[1], 'cdrop=' .. k.topic)
elseif number == seen + 1 then call('HSET', KEYS[2], '#rev', number) end
if call('HLEN', k.jobs) > 0 then
  if tonumber(string.match(stored or '', '^%d+') or 0) < number then call('HSET', KEYS[2], k.topic, '') end
  wake(k.topic)
else
  for _, kind in ipairs({'c', 'l', 'e', 'd', 'o', 'g'}) do call('ZREM', KEYS[1], kind .. k.topic) end
  call('UNLINK', k.heads, k.turn, k.rate, k.n, k.h, k.l, k.c, k.ghosts)
  call('HDEL', KEYS[2], k.topic)
  call('ZREM', KEYS[3], k.topic)
  call('SREM', KEYS[4], k.topic, by_callback(k.topic))
end
tell()
return remember({number})
