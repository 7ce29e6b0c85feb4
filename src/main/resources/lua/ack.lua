#!lua flags=allow-oom
--[[
  Ends jobs whose lease holds: gone, or done if the topic keeps such.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease, note (for its log: by whom, or '';
    behind a line feed what more there is, see write_log)
  Returns {which jobs' leases do not hold, counted from 0}; the others are done
  Atomic: of two acks of one delivery one is taken.
]]
local known = replay()
if known then return known end
local given, stale, job_no = ARGV, {}, -1

-- What it takes to end a job that has a group, or that is kept.
local made
local function rare()
  if made then return made end
  made = {guard_groups = guard_groups, ungroup = ungroup}

  function made.keep(group, kept)
    for i, id in ipairs(group.gone) do
      local by, more = string.match(given[group.args[i] + 2], '^([^\n]*)\n?(.*)$')
      keep(group.k, id, group.runs[i], group.records[i], by, more)
    end
    arm('o', group.k.topic, now + kept)
  end

  return made
end

local groups = groups_of(4, 3, 'jobs', 'lease', 'runs', 'log', 'expire', 'done')
for _, group in ipairs(groups) do
  local k, ids, seen, count = group.k, column(group, 3, 1), {}, 0
  local runs, gone, records, held_runs, args = call('HMGET', k.runs, unpack(ids)), {}, {}, {}, {}
  for i = 1, #ids do
    local id, lease, run = ids[i], given[group.from + 3 * i - 2], runs[i]
    job_no = job_no + 1
    if not seen[id] and holds(run, lease) then
      seen[id], count = true, count + 1
      gone[count], held_runs[count], args[count] = id, run, group.from + 3 * i - 3
      -- whether it has a group, or is under `ids`, stands behind the lease
      records[count] = byte(run, #lease + 2) == 1 and call('HGET', k.jobs, id)
      group.grouped = group.grouped or records[count]
    else
      stale[#stale + 1] = job_no
    end
  end
  group.gone, group.records, group.runs, group.args = gone, records, held_runs, args
  if group.grouped then rare().guard_groups(k, records) end
end

for _, group in ipairs(groups) do
  local k, gone = group.k, group.gone
  local kept = settings_of(k.topic).keepDone or 0
  if #gone > 0 then
    call('ZREM', k.lease, unpack(gone))
    if kept > 0 then
      rare().keep(group, kept)
    else
      if group.grouped then rare().ungroup(k, gone, group.records) end
      erase(k, gone)
    end
    freed(k.topic)
  end
end
tell()
return remember(stale)
