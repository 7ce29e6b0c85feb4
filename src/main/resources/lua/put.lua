#!lua
--[[
  Stores jobs, each in place of the one with its id, whatever state that was in; its lease ends, its attempts are
  forgotten.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970), record
  Returns {now, then for each job: its due time, 1 if a job in use was replaced, else 0}
  Atomic: there is never a moment with neither or both of the two.
]]
local known = replay()
if known then return known end
local answer = {now}
local groups = groups_of(4, 3, 'jobs', 'clock', 'lease', 'runs', 'log', 'expire',
  'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do
  guard_groups(group.k, column(group, 3, 3), 3)
  guard_groups(group.k, records_of(group.k, column(group, 3, 1)))
end
for _, group in ipairs(groups) do
  local k = group.k
  create(k.topic)
  for at = group.from, group.to, 3 do
    local id, record, due = ARGV[at], stamped(ARGV[at + 2], settings_of(k.topic)), due_of(tonumber(ARGV[at + 1]))
    local old = call('HGET', k.jobs, id)
    local replaced = 0
    if old then
      local lane = lane_of(old)
      local state = state_of(k, id, lane)
      detach(k, id, lane, state)
      forget(k, {id}, {old})
      if state ~= 'done' then replaced = 1 end
    end
    call('HSET', k.jobs, id, record)
    local ttl, _, group_name = parts_of(record)
    if group_name then call('SADD', group_key(k.topic, group_name), id) end
    place(k, {id, due, lane_of(record), ttl or false})
    answer[#answer + 1] = due
    answer[#answer + 1] = replaced
  end
end
lay_ghosts()
tell()
return remember(answer)
