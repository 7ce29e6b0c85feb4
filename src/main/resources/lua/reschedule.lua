#!lua
--[[
  Gives delayed, ready or dead jobs a new due time, and with it a new end of their ttl; a dead one has its attempts
  anew.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, when (ms to wait, or minus ms since 1970)
  Returns {now, then for each job: its state before, or none; its due time}; a reserved or done job stays as it is
  Atomic: a job is on one index, never on two or none.
]]
local known = replay()
if known then return known end
local answer = {now}
local groups = groups_of(4, 2, 'jobs', 'clock', 'lease', 'runs', 'expire',
  'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts')
for _, group in ipairs(groups) do
  local k = group.k
  for at = group.from, group.to, 2 do
    local id, due = ARGV[at], due_of(tonumber(ARGV[at + 1]))
    local record = call('HGET', k.jobs, id)
    local lane = record and lane_of(record)
    local state = record and state_of(k, id, lane) or 'none'
    if state == 'delayed' or state == 'ready' or state == 'dead' then
      local packed = call('HGET', k.runs, id)
      local run = packed and unpack_run(packed) or new_run(lane, due)
      run.due = due
      if state == 'dead' then run.attempts, run.losses = 0, 0 end
      local ttl = parts_of(record)
      if state ~= 'ready' or due > now then
        detach(k, id, lane, state)
        place(k, {id, due, lane, ttl or false})
      elseif ttl then
        expire_at(k, id, due + ttl)
      end
      -- on the clock its score is its due time, and a job that never ran needs no run
      if packed or due <= now then call('HSET', k.runs, id, pack_run(run)) end
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = due
  end
end
lay_ghosts()
tell()
return remember(answer)
