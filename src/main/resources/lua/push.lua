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
  local k, ids, stored, placed, seen = group.k, column(group, 3, 1), {}, {}, {}
  local set, there = settings_of(k.topic), call('HMGET', k.jobs, unpack(ids))
  create(k.topic)
  for i, id in ipairs(ids) do
    local free = not there[i]
    if there[i] and call('ZREM', k.done, id) == 1 then
      call('HDEL', k.runs, id)
      call('HDEL', k.log, id)
      free = true
    end
    local due = -1
    if free and not seen[id] then
      local at = group.from + 3 * i - 2
      local record = stamped(ARGV[at + 1], set)
      local flags, ttl, group_name = byte(record, 2), nil, nil
      due = due_of(tonumber(ARGV[at]))
      seen[id] = true
      stored[#stored + 1], stored[#stored + 2] = id, record
      if flags >= 32 then ttl, _, group_name = parts_of(record) end
      if group_name then call('SADD', group_key(k.topic, group_name), id) end
      local size = #placed
      placed[size + 1], placed[size + 2], placed[size + 3], placed[size + 4] = id, due, lane_of(record), ttl or false
    end
    answer[#answer + 1] = due
  end
  if #stored > 0 then call('HSET', k.jobs, unpack(stored)) end
  place(k, placed)
end
tell()
return remember(answer)
