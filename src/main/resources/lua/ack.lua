#!lua flags=allow-oom
--[[
  Ends jobs whose lease holds.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4..] for each topic: topic, count, then for each job: id, lease
  Returns {for each job 1 if it is done, 0 if the lease does not hold}
  Atomic: of two acks of one delivery one is taken.
]]
local known = replay()
if known then return known end
local answer = {}
for _, group in ipairs(groups_of(4, 2, 'jobs', 'lease', 'runs')) do
  local k, ids, seen = group.k, {}, {}
  for at = group.from, group.to, 2 do ids[#ids + 1] = ARGV[at] end
  local runs, gone = call('HMGET', k.runs, unpack(ids)), {}
  for i, id in ipairs(ids) do
    local lease = ARGV[group.from + 2 * i - 1]
    local held = runs[i] and not seen[id] and lease ~= '' and unpack_run(runs[i]).lease == lease
    if held then
      seen[id] = true
      gone[#gone + 1] = id
    end
    answer[#answer + 1] = held and 1 or 0
  end
  if #gone > 0 then
    call('ZREM', k.lease, unpack(gone))
    call('HDEL', k.runs, unpack(gone))
    call('HDEL', k.jobs, unpack(gone))
  end
end
return remember(answer)
