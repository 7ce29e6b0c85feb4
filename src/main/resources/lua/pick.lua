#!lua flags=no-writes,allow-oom
--[[
  Reads the next jobs of a topic that was set aside: the first ones of a place that has any.
  KEYS[1..4] as in prelude.lua, of what is set aside
  ARGV[1..2] as in prelude.lua
  ARGV[3] topic
  ARGV[4] limit  most entries
  ARGV[5] bytes  stop when these are longer in all
  Returns {place: lease, clock, dead, done, the lane of a ready list, or jobs for what stands nowhere; then for each
    entry: what stands there, its score, the job's id, record ('' for a ghost), run, log, when it expires}
]]
local k, limit, room = keys_of(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local stand, members, scores, ids = 'jobs', {}, {}, {}
for _, index in ipairs({'lease', 'h', 'n', 'l', 'c', 'clock', 'dead', 'done'}) do
  if call('EXISTS', k[index]) == 1 then
    stand = index
    break
  end
end
if #stand == 1 then members = call('LRANGE', k[stand], 0, limit - 1)
elseif stand == 'jobs' then members = call('HRANDFIELD', k.jobs, limit)
else
  local found = call('ZRANGE', k[stand], 0, limit - 1, 'WITHSCORES')
  for i = 1, #found, 2 do members[#members + 1], scores[#scores + 1] = found[i], found[i + 1] end
end
local logged, expiring = call('EXISTS', k.log) == 1, call('EXISTS', k.expire) == 1
for i, member in ipairs(members) do
  local id = stand == 'clock' and select(2, unlane(member)) or member
  ids[i] = id
  room = room - call('HSTRLEN', k.jobs, id) - call('HSTRLEN', k.runs, id)
  if logged then room = room - call('HSTRLEN', k.log, id) end
  if room <= 0 then break end
end
local answer, size = {stand}, 1
if #ids == 0 then return answer end
local records, runs = call('HMGET', k.jobs, unpack(ids)), call('HMGET', k.runs, unpack(ids))
local logs = logged and call('HMGET', k.log, unpack(ids)) or {}
local expires = expiring and call('ZMSCORE', k.expire, unpack(ids)) or {}
local has_ghosts = #stand == 1 and call('EXISTS', k.ghosts) == 1
for i, id in ipairs(ids) do
  local ghost = has_ghosts and call('SISMEMBER', k.ghosts, LANE_BYTE[stand] .. id) == 1
  local values = {members[i], scores[i] or '', id, not ghost and records[i] or '', runs[i] or '', logs[i] or '',
    expires[i] or ''}
  for j = 1, 7 do answer[size + j] = values[j] end
  size = size + 7
end
return answer
