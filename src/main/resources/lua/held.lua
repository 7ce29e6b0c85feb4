#!lua flags=no-writes,allow-oom
--[[
  Tells which leases hold.
  KEYS[1] next as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3..] for each topic: topic, count, then for each job: id, lease
  Returns {for each job 1 if its lease holds, else 0}
]]
local answer = {}
for _, group in ipairs(groups_of(3, 2)) do
  for at = group.from, group.to, 2 do
    local packed = call('HGET', group.k.runs, ARGV[at])
    answer[#answer + 1] = holds(packed, ARGV[at + 1]) and 1 or 0
  end
end
return answer
