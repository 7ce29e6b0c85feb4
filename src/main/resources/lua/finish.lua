#!lua flags=allow-oom
--[[
  Ends jobs without a lease, for consumers that have none: a reserved one as ack does, any other as cancel does.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, by (whom, or '')
  Returns {for each job 1 if it was reserved, else 0}
  Atomic: a job is done or gone once, whoever else settles it.
]]
local known = replay()
if known then return known end
local answer = {}
local groups = groups_of(4, 2, 'jobs', 'clock', 'lease', 'runs', 'log', 'expire',
  'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do guard_groups(group.k, records_of(group.k, column(group, 2, 1))) end
for _, group in ipairs(groups) do
  local k = group.k
  local kept = settings_of(k.topic).keepDone or 0
  for at = group.from, group.to, 2 do
    local id = ARGV[at]
    local record = call('HGET', k.jobs, id)
    local held = record and call('ZREM', k.lease, id) or 0
    if held == 1 and kept > 0 then
      keep(k, id, call('HGET', k.runs, id), record, ARGV[at + 1])
      arm('o', k.topic, now + kept)
    elseif held == 1 then
      forget(k, {id}, {record})
    elseif record and not call('ZSCORE', k.done, id) then
      cancel(k, {id}, {record})
    end
    if held == 1 then freed(k.topic) end
    answer[#answer + 1] = held
  end
end
lay_ghosts()
tell()
return remember(answer)
