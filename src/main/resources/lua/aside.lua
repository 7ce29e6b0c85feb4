#!lua flags=allow-oom
--[[
  Sets topics of a bucket aside for a rebucket, a step at a time: what they have gets the names that lie under KEYS.
  KEYS[1..4] as in prelude.lua, of what is set aside
  ARGV[1..2] as in prelude.lua
  ARGV[3] limit  most topics
  Returns {how many; 0: none is left}
  Atomic: a topic is set aside whole, or not at all.
]]
local KINDS = {'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts'}
local next_key, topics, names, awake = former(KEYS[1]), former(KEYS[2]), former(KEYS[3]), former(KEYS[4])
call('EXISTS', KEYS[2], KEYS[3], next_key, topics, names, awake)
local found, moves = call('ZRANGE', names, 0, tonumber(ARGV[3]) - 1), {}
for _, topic in ipairs(found) do
  local k = keys_of(topic, unpack(KINDS))
  call('EXISTS', former(k.heads))
  for _, kind in ipairs(KINDS) do
    if call('EXISTS', former(k[kind])) == 1 then
      -- a server must have written since
      if call('EXISTS', k[kind]) == 1 then return redis.error_reply('TWICE a topic is there and set aside') end
      moves[#moves + 1] = k[kind]
    end
  end
end
for _, key in ipairs(moves) do call('RENAME', former(key), key) end
for _, topic in ipairs(found) do
  call('UNLINK', former(keys_of(topic).heads))
  call('HSET', KEYS[2], topic, call('HGET', topics, topic) or '')
  call('ZADD', KEYS[3], 0, topic)
  call('HDEL', topics, topic)
  call('ZREM', names, topic)
end
if #found == 0 then
  local version = call('HGET', topics, '#rev')
  if version then call('HSET', KEYS[2], '#rev', version) end
  call('UNLINK', next_key, topics, names, awake)
end
return {#found}
