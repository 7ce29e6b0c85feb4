#!lua
--[[
  Makes dead jobs ready, their attempts anew: those named, or the ones longest dead.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  ARGV[5] before  only what was dead at this time (ms since 1970; 0: now), so that what dies again is left alone
  ARGV[6] limit   most jobs, if none are named
  ARGV[7..] id, ...
  Returns {now, how many, 1 if more are dead since before that time, else 0}
  Atomic: a job is dead or ready.
]]
local known = replay()
if known then return known end
local k = keys_of(ARGV[4], 'jobs', 'runs', 'expire', 'dead', 'n', 'h', 'l', 'c', 'ghosts')
local before, limit, count = tonumber(ARGV[5]), tonumber(ARGV[6]), 0
if before == 0 then before = now end
local ids = {}
if #ARGV > 6 then
  for at = 7, #ARGV do ids[#ids + 1] = ARGV[at] end
else
  ids = within(k, call('ZRANGE', k.dead, '-inf', before, 'BYSCORE', 'LIMIT', 0, limit), 262144)
end
local records = records_of(k, ids)
for i, id in ipairs(ids) do
  if records[i] and call('ZREM', k.dead, id) == 1 then
    local packed, lane = call('HGET', k.runs, id), lane_of(records[i])
    local run = packed and unpack_run(packed) or new_run(lane, now)
    run.attempts, run.losses, run.due = 0, 0, now
    call('HSET', k.runs, id, pack_run(run))
    place(k, {id, now, lane, parts_of(records[i]) or false})
    count = count + 1
  end
end
tell()
local more = #ARGV == 6 and call('ZCOUNT', k.dead, '-inf', before) > 0
return remember({now, count, more and 1 or 0})
