#!lua
--[[
  Stores jobs whose ids are the same in all topics, and their topics under `ids`: each in place of the one with its id,
  in its own topic or in the one that `ids` names.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970), record,
    replace (1: also a job in use)
  Returns {now, then for each job its due time, or -1 if the id is in use and was not to be replaced}
  Atomic: there is never a moment with neither or both of the two.
]]
local known = replay()
if known then return known end
local KINDS = {'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts'}
local answer, keys, groups = {now}, {}, groups_of(4, 4, unpack(KINDS))

-- The jobs that have an id: for each the keys of its topic, and its record.
local function standing(k, id)
  local found, topics = {}, {k.topic, call('HGET', ids_key, id) or k.topic}
  for i = 1, topics[2] == topics[1] and 1 or 2 do
    local topic = topics[i]
    keys[topic] = keys[topic] or keys_of(topic, unpack(KINDS))
    local record = call('HGET', keys[topic].jobs, id)
    if record then found[#found + 1] = {k = keys[topic], record = record} end
  end
  return found
end

for _, group in ipairs(groups) do keys[group.k.topic] = group.k end
for _, group in ipairs(groups) do
  guard_groups(group.k, column(group, 4, 3), 3)
  for at = group.from, group.to, 4 do
    for _, job in ipairs(standing(group.k, ARGV[at])) do guard_groups(job.k, {job.record}) end
  end
end
for _, group in ipairs(groups) do
  local k = group.k
  create(k.topic)
  for at = group.from, group.to, 4 do
    local id, due, free = ARGV[at], -1, true
    local old = standing(k, id)
    for _, job in ipairs(old) do
      free = free and (ARGV[at + 3] == '1' or state_of(job.k, id, lane_of(job.record)) == 'done')
    end
    if free then
      for _, job in ipairs(old) do cancel(job.k, {id}, {job.record}) end
      local record = stamped(ARGV[at + 2], settings_of(k.topic))
      due = due_of(tonumber(ARGV[at + 1]))
      call('HSET', k.jobs, id, record)
      call('HSET', ids_key, id, k.topic)
      local ttl, _, group_name = parts_of(record)
      if group_name then call('SADD', group_key(k.topic, group_name), id) end
      place(k, {id, due, lane_of(record), ttl or false})
    end
    answer[#answer + 1] = due
  end
end
lay_ghosts()
tell()
return remember(answer)
