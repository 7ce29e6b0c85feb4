#!lua
--[[
  Stores jobs of a topic as they were in another bucket. One that is here already is left as it is, so that a second
  time changes nothing.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] topic
  ARGV[4..] for each job: place, what stands there, its score, id, record, run, log, when it expires; as pick.lua has it
  Returns {how many are new}
  Atomic: a job is here with all it has, or not at all.
]]
local k = keys_of(ARGV[3], 'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done',
  'n', 'h', 'l', 'c', 'ghosts')
local jobs, runs, logs, ready, scored, first = {}, {}, {}, {}, {}, {}
local ALARM = {clock = 'c', lease = 'l', expire = 'e', dead = 'd', done = 'o'}

local function note(list, field, value)
  if value ~= '' then list[#list + 1], list[#list + 2] = field, value end
end

local function score(index, member, at)
  scored[index] = scored[index] or {}
  note(scored[index], at, member)
  first[index] = math.min(first[index] or math.huge, tonumber(at))
end

local groups, owned = {}, {}
for at = 4, #ARGV, 8 do
  local stand, id, record = ARGV[at], ARGV[at + 3], ARGV[at + 4]
  if call('HEXISTS', k.jobs, id) == 0 then
    note(jobs, id, record)
    note(runs, id, ARGV[at + 5])
    note(logs, id, ARGV[at + 6])
    if ARGV[at + 7] ~= '' then score('expire', id, ARGV[at + 7]) end
    local group = stand ~= 'done' and group_of(k, record)
    if group then
      call('EXISTS', group)
      note(groups, group, id)
    end
    if is_owned(record) then
      call('EXISTS', ids_key)
      note(owned, id, k.topic)
    end
    if stand == 'jobs' then stand = lane_of(record) end
    if #stand == 1 then
      ready[stand] = ready[stand] or {}
      table.insert(ready[stand], id)
    else
      score(stand, ARGV[at + 1], ARGV[at + 2])
    end
  end
end
if #jobs == 0 then return {0} end
create(k.topic)
call('HSET', k.jobs, unpack(jobs))
if #runs > 0 then call('HSET', k.runs, unpack(runs)) end
if #logs > 0 then call('HSET', k.log, unpack(logs)) end
for i = 1, #groups, 2 do call('SADD', groups[i], groups[i + 1]) end
if #owned > 0 then call('HSET', ids_key, unpack(owned)) end
for index, entries in pairs(scored) do
  call('ZADD', k[index], unpack(entries))
  -- for what is kept this is too early; `due` then finds out when it is
  arm(ALARM[index], k.topic, first[index])
end
for lane, ids in pairs(ready) do make_ready(k, lane, ids) end
return {#jobs / 2}
