#!lua
--[[
  Stores new jobs and puts each on the clock or, if it is due, on ready. An id in use is refused.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970), record
  Returns {now, then for each job its due time, or -1 if the id is in use}
  Atomic: a job is stored with its index entries, or not at all.
]]
local known = replay()
if known then return known end
local answer = {now}
local groups = groups_of(4, 3, 'jobs', 'clock', 'done', 'runs', 'log', 'expire', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do
  guard_groups(group.k, column(group, 3, 3), 3)
end
for _, group in ipairs(groups) do
  local k, placed = group.k, {}
  local set = settings_of(k.topic)
  create(k.topic)
  for at = group.from, group.to, 3 do
    local id, record = ARGV[at], stamped(ARGV[at + 2], set)
    local free = call('HSETNX', k.jobs, id, record) == 1
    if not free and call('ZREM', k.done, id) == 1 then
      call('HDEL', k.runs, id)
      call('HDEL', k.log, id)
      call('HSET', k.jobs, id, record)
      free = true
    end
    local due = free and due_of(tonumber(ARGV[at + 1])) or -1
    answer[#answer + 1] = due
    if free then
      local ttl, group_name = false, nil
      if byte(record, 2) >= 32 then ttl, _, group_name = parts_of(record) end
      if group_name then call('SADD', group_key(k.topic, group_name), id) end
      placed[#placed + 1] = id
      placed[#placed + 1] = due
      placed[#placed + 1] = lane_of(record)
      placed[#placed + 1] = ttl or false
    end
  end
  place(k, placed)
end
tell()
return remember(answer)
