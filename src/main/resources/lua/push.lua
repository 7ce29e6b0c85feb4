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
local answer, size = {now}, 1
local groups = groups_of(4, 3, 'jobs', 'clock', 'done', 'runs', 'log', 'expire', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do
  group.ids = column(group, 3, 1)
  for at = group.from + 2, group.to, 3 do
    if byte(ARGV[at], 2) % 64 >= 32 then guard_groups(group.k, {ARGV[at]}, 3) end
  end
end
for _, group in ipairs(groups) do
  local k, ids, stored, others, seen = group.k, group.ids, {}, {}, {}
  local set, there = settings_of(k.topic), call('HMGET', k.jobs, unpack(ids))
  -- jobs without options, as most are, have these two to themselves
  local plain, clock, ready, earliest, last, text = not set.ttl and not set.priority, {}, {}, nil, nil, nil
  create(k.topic)
  for i, id in ipairs(ids) do
    local free = not there[i]
    if there[i] and call('ZREM', k.done, id) == 1 then
      call('HDEL', k.runs, id)
      call('HDEL', k.log, id)
      if is_owned(there[i]) then call('HDEL', ids_key, id) end
      free = true
    end
    local due = -1
    if free and not seen[id] then
      local at = group.from + 3 * i - 2
      local record = stamped(ARGV[at + 1], set)
      local flags, count = byte(record, 2), #stored
      due = due_of(tonumber(ARGV[at]))
      seen[id] = true
      stored[count + 1], stored[count + 2] = id, record
      if not plain or flags > 0 then
        local ttl, group_name
        if flags >= 32 then ttl, _, group_name = parts_of(record) end
        if group_name then call('SADD', group_key(k.topic, group_name), id) end
        local from = #others
        others[from + 1], others[from + 2], others[from + 3], others[from + 4] = id, due, lane_of(record), ttl or false
      elseif due > now then
        if due ~= last then last, text = due, int(due) end
        if not earliest or due < earliest then earliest = due end
        count = #clock
        clock[count + 1], clock[count + 2] = text, id
      else
        ready[#ready + 1] = id
      end
    end
    size = size + 1
    answer[size] = due
  end
  if #stored > 0 then call('HSET', k.jobs, unpack(stored)) end
  if earliest then
    call('ZADD', k.clock, unpack(clock))
    arm('c', k.topic, earliest)
  end
  if #ready > 0 then make_ready(k, 'n', ready) end
  place(k, others)
end
tell()
return remember(answer)
