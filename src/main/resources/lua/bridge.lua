#!lua flags=allow-oom
--[[
  Takes due ids off the pool of mix-basic/delayer and puts each on the ready queue of its topic, as its timer did. An id
  whose hash is gone is dropped; one whose queue is no list waits. Not on a cluster: these keys have no hash tags.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] prefix  of the keys
  ARGV[4] most    ids to take
  ARGV[5] wait    s until an id whose queue is no list is looked at again
  Returns {now, the next due time in ms or -1, how many were put on queues}
  Atomic: an id is in the pool or on a queue, never on two; two of these at once are harmless.
]]
local pool, moved = ARGV[3] .. 'job_pool', 0
if call('TYPE', pool).ok ~= 'zset' then return {now, -1, 0} end

local function queue_of(id)
  local job = ARGV[3] .. 'job_bucket:' .. id
  local topic = call('TYPE', job).ok == 'hash' and call('HGET', job, 'topic')
  return topic and ARGV[3] .. 'ready_queue:' .. topic
end

for _, id in ipairs(call('ZRANGE', pool, '-inf', string.format('%.3f', now / 1000), 'BYSCORE', 'LIMIT', 0, ARGV[4])) do
  local queue = queue_of(id)
  local kind = queue and call('TYPE', queue).ok
  if not queue then
    call('ZREM', pool, id)
  elseif kind ~= 'list' and kind ~= 'none' then
    call('ZADD', pool, time[1] + ARGV[5], id)
  else
    call('ZREM', pool, id)
    call('LPUSH', queue, id)
    moved = moved + 1
  end
end
local first = call('ZRANGE', pool, 0, 0, 'WITHSCORES')[2]
return {now, first and math.ceil(tonumber(first) * 1000) or -1, moved}
