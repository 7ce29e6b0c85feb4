#!lua flags=allow-oom
--[[
  Changes the settings of a topic, and makes the topic if there is none. The change is made in bucket 0, which numbers
  it, and then applied as it is in all others.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  ARGV[5] what     set, pause, resume; or apply: a change that bucket 0 has made
  ARGV[6] value    set: the settings as JSON; apply: all of it as stored
  Returns {the settings as stored}
  Atomic: a later change is never undone by an earlier one that comes late.
]]
local known = replay()
if known then return known end
local k, what, text = keys_of(ARGV[4], 'dead', 'done'), ARGV[5], ARGV[6]
local stored = call('HGET', KEYS[2], k.topic)
local seen = tonumber(call('HGET', KEYS[2], '#rev') or 0)
local version, paused, json = string.match(stored or '', '^(%d+) (%d) (.+)$')
local is_new
if what == 'apply' then
  local number = tonumber(string.match(text, '^%d+'))
  -- what this bucket has seen and does not have was deleted since
  is_new = number > tonumber(version or 0) and (version or number > seen)
  if number == seen + 1 then call('HSET', KEYS[2], '#rev', number) end
else
  is_new = true
  json = what == 'set' and text or json or '{}'
  if what ~= 'set' then paused = what == 'pause' and 1 or 0 end
  text = call('HINCRBY', KEYS[2], '#rev', 1) .. ' ' .. (paused or 0) .. ' ' .. json
  call('PUBLISH', ARGV[1], 'v')
  call('PUBLISH', ARGV[1], 'c' .. what .. '=' .. k.topic)
end
if is_new then
  create(k.topic)
  call('HSET', KEYS[2], k.topic, text)
  obey(k)
end
tell()
return remember({text})
