#!lua flags=allow-oom
--[[
  Ends attempts that failed: the job runs again after the wait given or by its backoff, or is dead if that was its
  last attempt.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease,
    wait (ms; -1: by backoff; -2: its connection was lost: at once, from the second loss in a row on by backoff), error
  Returns {for each job: delayed, ready, dead, or stale if the lease does not hold; and its due time}
  Atomic: a job is on one index, never on two or none.
]]
local known = replay()
if known then return known end
local answer = {}
for _, group in ipairs(groups_of(4, 4, 'clock', 'lease', 'runs', 'dead', 'n', 'h', 'l', 'c', 'ghosts')) do
  local k = group.k
  for at = group.from, group.to, 4 do
    local id, lease, wait = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    local packed = call('HGET', k.runs, id)
    local run = packed and unpack_run(packed)
    local state, due = 'stale', 0
    if run and lease ~= '' and run.lease == lease then
      run.losses = wait == -2 and math.min(run.losses + 1, 255) or 0
      run.error = ARGV[at + 3]
      call('ZREM', k.lease, id)
      if wait == -2 and run.losses == 1 then wait = 0 end
      state = run_again(k, id, run, wait >= 0 and wait or nil)
      due = run.due
      call('HSET', k.runs, id, pack_run(run))
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = due
  end
end
tell()
return remember(answer)
