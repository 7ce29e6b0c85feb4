#!lua flags=allow-oom
--[[
  Ends attempts that failed: the job runs again after the wait given or by its backoff, or is dead if that was its
  last attempt, or has expired if its ttl is over.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease, wait (ms; -1: by backoff; -2: its connection
    was lost: at once; from the second loss in a row on by backoff; -3: it is dead), error, by (whom, or ''), more (of
    its log, see write_log)
  Returns {for each job: delayed, ready, dead, gone, or stale if the lease does not hold; and its due time}
  Atomic: a job is on one index, never on two or none.
]]
local known = replay()
if known then return known end
local answer = {}
local groups = groups_of(4, 6, 'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'n', 'h', 'l', 'c', 'ghosts')

local function held(k, at)
  local packed = call('HGET', k.runs, ARGV[at])
  local run = packed and unpack_run(packed)
  if run and ARGV[at + 1] ~= '' and run.lease == ARGV[at + 1] then return run end
end

for _, group in ipairs(groups) do
  for at = group.from, group.to, 6 do
    local run = held(group.k, at)
    if run and run.grouped == 1 then guard_groups(group.k, {call('HGET', group.k.jobs, ARGV[at])}) end
  end
end
for _, group in ipairs(groups) do
  local k = group.k
  for at = group.from, group.to, 6 do
    local id, wait = ARGV[at], tonumber(ARGV[at + 2])
    local run = held(k, at)
    local state, due = 'stale', 0
    if run then
      local lost = wait == -2
      run.losses = lost and math.min(run.losses + 1, 255) or 0
      run.error = ARGV[at + 3]
      call('ZREM', k.lease, id)
      if lost and run.losses == 1 then wait = 0 end
      local record = run.grouped == 1 and call('HGET', k.jobs, id)
      if wait == -1 or wait == -2 then wait = nil end
      state = run_again(k, id, run, record, lost and 'lost' or 'nacked', wait, ARGV[at + 4], ARGV[at + 5])
      due = run.due
      if state ~= 'gone' then call('HSET', k.runs, id, pack_run(run)) end
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = due
  end
end
tell()
return remember(answer)
