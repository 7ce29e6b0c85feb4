#!lua flags=no-writes,allow-oom
--[[
  Tells how jobs stand.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3..] for each topic: topic, count, then for each job: id
  Returns {for each job false if there is none, else {state, score on its index or -1, run or '', record,
    settings of its topic as stored, attempt log or ''}}
]]
local answer = {}
for _, group in ipairs(groups_of(3, 1)) do
  for at = group.from, group.to do answer[#answer + 1] = all_of(group.k, ARGV[at]) end
end
return answer
