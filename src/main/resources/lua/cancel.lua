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
local groups = groups_of(4, 1, 'jobs', 'clock', 'lease', 'runs', 'log', 'expire',
  'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do guard_groups(group.k, records_of(group.k, column(group, 1, 1))) end
for _, group in ipairs(groups) do
  for at = group.from, group.to do
    local record = call('HGET', group.k.jobs, ARGV[at])
    answer[#answer + 1] = cancel(group.k, {ARGV[at]}, {record})
  end
end
lay_ghosts()
tell()
return remember(answer)
