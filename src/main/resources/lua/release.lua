#!lua flags=allow-oom
--[[
  Gives back jobs that were leased but never reached a consumer, the attempt not counted: to the head of ready, or
  on the clock for a while.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease, wait (ms)
  Returns {for each job 1 if it was given back, 0 if the lease does not hold}
]]
local known = replay()
if known then return known end
local answer = {}
for _, group in ipairs(groups_of(4, 3, 'clock', 'lease', 'runs', 'expire', 'n', 'h', 'l', 'c', 'heads')) do
  local k, back = group.k, {}
  -- from the last to the first, so that they stand in the list as they stood
  for at = group.to - 2, group.from, -3 do
    local id, lease, wait = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    local packed = call('HGET', k.runs, id)
    local run = packed and unpack_run(packed)
    local held = run and lease ~= '' and run.lease == lease
    if held then
      call('ZREM', k.lease, id)
      -- if that is past, its alarm goes off at once
      if run.expires > 0 then expire_at(k, id, run.expires) end
      run.lease, run.attempts, run.expires = '', run.attempts - 1, 0
      if wait > 0 then
        run.due = now + wait
        call('ZADD', k.clock, run.due, LANE_BYTE[run.lane] .. id)
        arm('c', k.topic, run.due)
      else
        -- a leased job has no entry left in the lists, a ghost of it neither
        call('LPUSH', k[run.lane], id)
        popped(k, run.lane, -1)
        rouse(k.topic, run.lane)
      end
      call('HSET', k.runs, id, pack_run(run))
      freed(k.topic)
    end
    table.insert(back, 1, held and 1 or 0)
  end
  for _, outcome in ipairs(back) do answer[#answer + 1] = outcome end
end
tell()
return remember(answer)
