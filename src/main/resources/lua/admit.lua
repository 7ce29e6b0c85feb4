#!lua
--[[
  Stores jobs that came in on a list, and takes each one's entry off it. An id in use is refused, its entry stays. Not
  on a cluster, where the list may lie on another node.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] list  its key
  ARGV[5] near  how many of its entries are looked at
  ARGV[6..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970), record,
    entry
  Returns {now, then for each job its due time, -1 if the id is in use, -2 if there is no such entry any more}
  Atomic: a job is stored and its entry gone, or neither. Who else has seen the entry does not find it.
]]
local known = replay()
if known then return known end
local list, answer = ARGV[4], {now}

local function admit(k, set, id, at)
  -- the id of a job that is done is free
  if call('ZREM', k.done, id) == 1 then
    if is_owned(call('HGET', k.jobs, id)) then call('HDEL', ids_key, id) end
    call('HDEL', k.runs, id)
    call('HDEL', k.log, id)
  elseif call('HEXISTS', k.jobs, id) == 1 then
    return -1
  end
  local record, due = stamped(ARGV[at + 2], set), due_of(tonumber(ARGV[at + 1]))
  local ttl, _, group_name = parts_of(record)
  call('LREM', list, 1, ARGV[at + 3])
  create(k.topic)
  call('HSET', k.jobs, id, record)
  if group_name then call('SADD', group_key(k.topic, group_name), id) end
  place(k, {id, due, lane_of(record), ttl or false})
  return due
end

for _, group in ipairs(groups_of(6, 4)) do
  local k = group.k
  for at = group.from, group.to, 4 do
    local there = call('LPOS', list, ARGV[at + 3], 'MAXLEN', ARGV[5])
    answer[#answer + 1] = there and admit(k, settings_of(k.topic), ARGV[at], at) or -2
  end
end
tell()
return remember(answer)
