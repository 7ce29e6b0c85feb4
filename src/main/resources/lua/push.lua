#!lua
--[[
  Stores new jobs and puts each on the clock or, if it is due, on ready. An id in use is refused.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970), record
    (of a job without options the body alone)
  Returns {now, then which jobs are refused, counted from 0}; the others' due times follow from now and when
  Atomic: a job is stored with its index entries, or not at all.
]]
local known = replay()
if known then return known end
local args, PLAIN, answer, refused, job_no = ARGV, '\1\0' .. stamp, {now}, 1, -1

-- What it takes to store a job with options, and one whose id was there before.
local made
local function rare()
  if made then return made end
  made = {guard_groups = guard_groups, place = place}

  function made.guard_ids(record)
    if is_owned(record) then call('EXISTS', ids_key) end
  end

  -- The id of a job that is done is free.
  function made.give_back(k, id, record)
    if call('ZREM', k.done, id) == 0 then return false end
    call('HDEL', k.runs, id)
    call('HDEL', k.log, id)
    if is_owned(record) then call('HDEL', ids_key, id) end
    return true
  end

  -- Returns the record as stored, its lane, and its ttl or false.
  function made.record(k, set, id, record)
    record = stamped(byte(record) == 1 and record or '\1\0' .. record, set)
    local ttl, _, group_name = parts_of(record)
    if group_name then call('SADD', group_key(k.topic, group_name), id) end
    return record, lane_of(record), ttl or false
  end

  return made
end

local groups = groups_of(4, 3)
for _, group in ipairs(groups) do
  local k = group.k
  group.ids = column(group, 3, 1)
  group.there, group.set = call('HMGET', k.jobs, unpack(group.ids)), settings_of(k.topic)
  group.plain = not group.set.ttl and not group.set.priority
  local fresh = true
  for i = 1, #group.ids do
    local record = args[group.from + 3 * i - 1]
    if group.there[i] then
      fresh = false
      rare().guard_ids(group.there[i])
    end
    if byte(record) == 1 then
      group.plain = false
      if byte(record, 2) % 64 >= 32 then rare().guard_groups(k, {record}, 3) end
    end
  end
  if group.plain and fresh then call('EXISTS', k.clock, k.n, k.ghosts)
  else call('EXISTS', k.clock, k.done, k.runs, k.log, k.expire, k.n, k.h, k.l, k.c, k.ghosts) end
end

for _, group in ipairs(groups) do
  local k, set, ids, there, plain, others, seen = group.k, group.set, group.ids, group.there, group.plain, {}, {}
  -- jobs without options, as most are, have the clock and ready to themselves
  local stored, clock, ready, stored_size, clock_size, ready_size = {}, {}, {}, 0, 0, 0
  local earliest, last, due, text = nil, nil, nil, nil
  create(k.topic)
  for i = 1, #there do
    local id = ids[i]
    job_no = job_no + 1
    if seen[id] or there[i] and not rare().give_back(k, id, there[i]) then
      refused = refused + 1
      answer[refused] = job_no
    else
      local at = group.from + 3 * i - 2
      local when, record = args[at], args[at + 1]
      seen[id] = true
      -- many wait equally long
      if when ~= last then
        last, due = when, due_of(tonumber(when))
        text = int(due)
      end
      if plain then
        record = PLAIN .. record
        if due > now then
          if not earliest or due < earliest then earliest = due end
          clock[clock_size + 1], clock[clock_size + 2] = text, id
          clock_size = clock_size + 2
        else
          ready_size = ready_size + 1
          ready[ready_size] = id
        end
      else
        local from = #others
        others[from + 1], others[from + 2] = id, due
        record, others[from + 3], others[from + 4] = rare().record(k, set, id, record)
      end
      stored[stored_size + 1], stored[stored_size + 2] = id, record
      stored_size = stored_size + 2
    end
  end
  if stored_size > 0 then call('HSET', k.jobs, unpack(stored)) end
  if earliest then
    call('ZADD', k.clock, unpack(clock))
    arm('c', k.topic, earliest)
  end
  if ready_size > 0 then make_ready(k, 'n', ready) end
  if #others > 0 then rare().place(k, others) end
end
tell()
return remember(answer)
