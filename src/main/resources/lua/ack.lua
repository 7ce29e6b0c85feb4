#!lua flags=allow-oom
--[[
  Ends jobs whose lease holds: gone, or done if the topic keeps such.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease, by (whom, or ''), more (of its
    log, see write_log)
  Returns {for each job 1 if it is done, 0 if the lease does not hold}
  Atomic: of two acks of one delivery one is taken.
]]
local known = replay()
if known then return known end
local answer, size = {}, 0
local groups = groups_of(4, 4, 'jobs', 'lease', 'runs', 'log', 'expire', 'done')
for _, group in ipairs(groups) do
  local k, ids, seen = group.k, column(group, 4, 1), {}
  local runs = call('HMGET', k.runs, unpack(ids))
  group.gone, group.records, group.runs, group.args = {}, {}, {}, {}
  for i, id in ipairs(ids) do
    local lease = ARGV[group.from + 4 * i - 3]
    local held = not seen[id] and holds(runs[i], lease)
    if held then
      seen[id] = true
      local at = #group.gone + 1
      group.gone[at], group.runs[at], group.args[at] = id, runs[i], group.from + 4 * i - 4
      -- whether it has a group, or is under `ids`, stands behind the lease
      group.records[at] = byte(runs[i], #lease + 2) == 1 and call('HGET', k.jobs, id)
      group.grouped = group.grouped or group.records[at]
    end
    size = size + 1
    answer[size] = held and 1 or 0
  end
  if group.grouped then guard_groups(k, group.records) end
end

for _, group in ipairs(groups) do
  local k, gone = group.k, group.gone
  local kept = settings_of(k.topic).keepDone or 0
  if #gone > 0 then
    call('ZREM', k.lease, unpack(gone))
    if kept == 0 then
      forget(k, gone, group.records)
    else
      for i, id in ipairs(gone) do
        local at = group.args[i]
        keep(k, id, group.runs[i], group.records[i], ARGV[at + 2], ARGV[at + 3])
      end
      arm('o', k.topic, now + kept)
    end
    freed(k.topic)
  end
end
tell()
return remember(answer)
