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
  local k = group.k
  for at = group.from, group.to do
    local id = ARGV[at]
    local record = call('HGET', k.jobs, id)
    if record then
      local state, score = state_of(k, id, lane_of(record))
      answer[#answer + 1] = {state, score or -1, call('HGET', k.runs, id) or '', record,
        call('HGET', KEYS[2], k.topic) or '', call('HGET', k.log, id) or ''}
    else
      answer[#answer + 1] = false
    end
  end
end
return answer
