#!lua flags=no-writes,allow-oom
--[[
  Tells how jobs stand whose ids are the same in all topics.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3..] for each topic: topic (any), count, then for each job: id
  Returns {for each job false if there is none, else {topic, what get.lua tells of it}}
]]
local answer = {}
for _, group in ipairs(groups_of(3, 1)) do
  for at = group.from, group.to do
    local topic = call('HGET', ids_key, ARGV[at])
    local found = topic and all_of(keys_of(topic), ARGV[at])
    answer[#answer + 1] = found and {topic, found}
  end
end
return answer
