#!lua flags=allow-oom
--[[
  Does what is due, the due topics in turn: clock -> ready; ended leases -> retry by backoff, or dead; ghosts swept.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] limit  most jobs to move in one call
  Returns {now in microseconds, next alarm or -1, how many were moved}
  Atomic: a job is on one index, never on two or none. Two scanners at once are harmless.
]]
local TOPICS, STEP = 64, 500
local due = call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, TOPICS)
local keys = {}
for _, member in ipairs(due) do
  local topic = sub(member, 2)
  keys[topic] = keys[topic] or keys_of(topic, 'clock', 'lease', 'runs', 'dead', 'n', 'h', 'l', 'c', 'ghosts')
end
local share, moved = math.max(1, math.floor(tonumber(ARGV[3]) / math.max(1, #due))), 0
local serve = {}

function serve.c(k)
  local found = call('ZRANGE', k.clock, '-inf', now, 'BYSCORE', 'LIMIT', 0, share, 'WITHSCORES')
  if #found == 0 then return k.clock end
  local ids, lanes = {}, {}
  for i = 1, #found, 2 do
    local lane, id = unlane(found[i])
    ids[#ids + 1] = id
    lanes[lane] = lanes[lane] or {}
    table.insert(lanes[lane], id)
  end
  local runs, fresh = call('HMGET', k.runs, unpack(ids)), {}
  for i, id in ipairs(ids) do
    if not runs[i] then
      fresh[#fresh + 1] = id
      fresh[#fresh + 1] = pack_run(new_run((unlane(found[2 * i - 1])), tonumber(found[2 * i])))
    end
  end
  call('ZREMRANGEBYRANK', k.clock, 0, #ids - 1)
  if #fresh > 0 then call('HSET', k.runs, unpack(fresh)) end
  for lane, members in pairs(lanes) do make_ready(k, lane, members) end
  moved = moved + #ids
  return k.clock
end

function serve.l(k)
  local ids = call('ZRANGE', k.lease, '-inf', now, 'BYSCORE', 'LIMIT', 0, share)
  for _, id in ipairs(ids) do
    local packed = call('HGET', k.runs, id)
    -- a lease without a run cannot be; if it ever is, it must not stop the others
    local run = packed and unpack_run(packed) or new_run('n', now)
    call('ZREM', k.lease, id)
    run.losses, run.error = 0, 'the lease ended without an answer'
    run_again(k, id, run)
    call('HSET', k.runs, id, pack_run(run))
  end
  moved = moved + #ids
  return k.lease
end

-- Turns each ready list once round, a step at a time, and leaves the ghosts out.
function serve.g(k)
  for _, lane in ipairs({'n', 'h', 'l', 'c'}) do
    local live = {}
    for _, id in ipairs(call('LPOP', k[lane], STEP) or {}) do
      if call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then live[#live + 1] = id end
    end
    if #live > 0 then call('RPUSH', k[lane], unpack(live)) end
  end
  local entries, ghosts = ready_count(k)
  if ghosts > 1000 and ghosts > entries - ghosts then return nil, now end
end

for _, member in ipairs(due) do
  local kind = sub(member, 1, 1)
  local index, at = serve[kind](keys[sub(member, 2)])
  if index then at = call('ZRANGE', index, 0, 0, 'WITHSCORES')[2] end
  -- what is still due goes behind the topics that were not served yet
  if at then call('ZADD', KEYS[1], math.max(tonumber(at), now), member) else call('ZREM', KEYS[1], member) end
end
sooner = false
tell()
local left = call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {time[1] * 1000000 + time[2], left[2] and tonumber(left[2]) or -1, moved}
