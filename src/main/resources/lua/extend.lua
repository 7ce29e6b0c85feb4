#!lua flags=allow-oom
--[[
  Moves the end of leases that hold to now + ttr.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease, ttr (ms; -1: the job's)
  Returns {for each job the new deadline, or -1 if the lease does not hold}
]]
local known = replay()
if known then return known end
local answer = {}
for _, group in ipairs(groups_of(4, 3, 'lease', 'runs')) do
  local k = group.k
  for at = group.from, group.to, 3 do
    local id, lease, ttr = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    local packed = call('HGET', k.runs, id)
    local run = packed and unpack_run(packed)
    local deadline = -1
    if run and lease ~= '' and run.lease == lease then
      if ttr < 0 then ttr = rules_of(run, settings_of(k.topic)) end
      deadline = now + ttr
      call('ZADD', k.lease, deadline, id)
      arm('l', k.topic, deadline)
    end
    answer[#answer + 1] = deadline
  end
end
tell()
return remember(answer)
