#!lua flags=allow-oom
--[[
  Removes what pick.lua has read and other buckets have stored. When no job is left, all else of the topic goes too.
  Changes nothing the second time.
  KEYS[1..4] as in prelude.lua, of what is set aside
  ARGV[1..2] as in prelude.lua
  ARGV[3] topic
  ARGV[4] place  as pick.lua has it
  ARGV[5..] what stands there, how it leaves (0: a ghost, 1: whole, 2: but its group and its entry
    under `ids` stay here); again for each entry
  Returns {how many jobs are left}
  Atomic: a job is here whole, or gone.
]]
local KINDS = {'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done', 'n', 'h', 'l', 'c', 'ghosts'}
local k, stand = keys_of(ARGV[3], unpack(KINDS)), ARGV[4]
local members, listed, gone, groups, owned = {}, {}, {}, {}, {}
for at = 5, #ARGV, 2 do
  local member = ARGV[at]
  local id = stand == 'clock' and select(2, unlane(member)) or member
  members[#members + 1], listed[member] = member, true
  if ARGV[at + 1] ~= '0' then gone[#gone + 1] = id end
  local record = ARGV[at + 1] == '1' and call('HGET', k.jobs, id)
  local group = group_of(k, record)
  if record and is_owned(record) then owned[#owned + 1] = id end
  if group then
    call('EXISTS', former(group))
    groups[#groups + 1], groups[#groups + 2] = former(group), id
  end
end
if #owned > 0 then call('EXISTS', former(ids_key)) end
for i = 1, #groups, 2 do call('SREM', groups[i], groups[i + 1]) end
if #owned > 0 then call('HDEL', former(ids_key), unpack(owned)) end
if #stand == 1 and #members > 0 then
  local count = 0
  for _, id in ipairs(call('LRANGE', k[stand], 0, #members - 1)) do
    if not listed[id] then break end
    call('SREM', k.ghosts, LANE_BYTE[stand] .. id)
    count = count + 1
  end
  if count > 0 then call('LPOP', k[stand], count) end
elseif stand ~= 'jobs' and #members > 0 then
  call('ZREM', k[stand], unpack(members))
end
if #gone > 0 then
  call('HDEL', k.jobs, unpack(gone))
  call('HDEL', k.runs, unpack(gone))
  call('HDEL', k.log, unpack(gone))
  call('ZREM', k.expire, unpack(gone))
end
local left = call('HLEN', k.jobs)
if left == 0 then
  for _, kind in ipairs(KINDS) do call('UNLINK', k[kind]) end
  call('HDEL', KEYS[2], k.topic)
  call('ZREM', KEYS[3], k.topic)
  if call('EXISTS', KEYS[3]) == 0 then call('UNLINK', KEYS[2]) end
end
return {left}
