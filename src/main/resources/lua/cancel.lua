#!lua flags=allow-oom
--[[
  Removes jobs in any state; whoever holds one finds the lease stale.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id
  Returns {for each job 1 if it was there, else 0}
  Atomic: a job is cancelled or delivered once more, as the scripts happen to come.
]]
local known = replay()
if known then return known end
local answer = {}
local groups = groups_of(4, 1, 'jobs', 'clock', 'lease', 'runs',
  'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do
  local k = group.k
  for at = group.from, group.to do
    local id = ARGV[at]
    local record = call('HGET', k.jobs, id)
    if record then
      local lane = lane_of(record)
      detach(k, id, lane, state_of(k, id, lane))
      call('HDEL', k.runs, id)
      call('HDEL', k.jobs, id)
    end
    answer[#answer + 1] = record and 1 or 0
  end
end
tell()
return remember(answer)
