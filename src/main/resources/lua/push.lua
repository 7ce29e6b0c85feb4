#!lua
--[[
  Stores new jobs and puts each on the clock or, if it is due, on ready. An id in use is refused.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970), record
  Returns {now, then for each job its due time, or -1 if the id is in use}
  Atomic: a job is stored with its index entry, or not at all.
]]
local known = replay()
if known then return known end
local answer = {now}
for _, group in ipairs(groups_of(4, 3, 'jobs', 'clock', 'done', 'runs', 'n', 'h', 'l', 'c', 'ghosts')) do
  local k, placed = group.k, {}
  create(k.topic)
  for at = group.from, group.to, 3 do
    local id, record = ARGV[at], ARGV[at + 2]
    local free = call('HSETNX', k.jobs, id, stamped(record)) == 1
    if not free and call('ZREM', k.done, id) == 1 then
      call('HDEL', k.runs, id)
      call('HSET', k.jobs, id, stamped(record))
      free = true
    end
    local due = free and due_of(tonumber(ARGV[at + 1])) or -1
    answer[#answer + 1] = due
    if free then
      placed[#placed + 1] = id
      placed[#placed + 1] = due
      placed[#placed + 1] = lane_of(record)
    end
  end
  place(k, placed)
end
tell()
return remember(answer)
