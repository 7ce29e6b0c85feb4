#!lua flags=allow-oom
--[[
  Deletes jobs of a topic, a step at a time: of one state the first of its index, or of all by going through them.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  ARGV[5] state   delayed, ready, reserved, dead, done, or all
  ARGV[6] limit   about how many
  ARGV[7] cursor  of the step before, 0 to begin; only for all
  Returns {how many, cursor of the next step; 0 if there is none: nothing is left, or all were gone through;
    how many bytes of records were read}
  Atomic: a job is there or gone whole.
]]
local known = replay()
if known then return known end
local k = keys_of(ARGV[4], 'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done',
  'n', 'h', 'l', 'c', 'ghosts', 'heads')
local state, limit, cursor = ARGV[5], tonumber(ARGV[6]), '0'
local ids, records, BYTES = {}, {}, 262144

-- Each list in turn: its first entries come off, and what is no ghost is forgotten.
local function purge_ready()
  local lanes = {}
  for _, lane in ipairs({'h', 'n', 'l', 'c'}) do
    for _, id in ipairs(#ids < limit and call('LRANGE', k[lane], 0, limit - #ids - 1) or {}) do
      ids[#ids + 1], lanes[#lanes + 1] = id, lane
    end
  end
  ids = within(k, ids, BYTES)
  records = records_of(k, ids)
  guard_groups(k, records)
  local gone, gone_records = {}, {}
  for i, id in ipairs(ids) do
    call('LPOP', k[lanes[i]])
    popped(k, lanes[i], 1)
    if call('SREM', k.ghosts, LANE_BYTE[lanes[i]] .. id) == 0 then
      gone[#gone + 1], gone_records[#gone_records + 1] = id, records[i]
    end
  end
  forget(k, gone, gone_records)
  return #gone, bury(k) > 0
end

local count, more
if state == 'ready' then
  count, more = purge_ready()
else
  if state == 'all' then
    local page = call('HSCAN', k.jobs, ARGV[7], 'COUNT', limit)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      ids[#ids + 1], records[#records + 1] = page[2][i], page[2][i + 1]
    end
  else
    local index = {delayed = 'clock', reserved = 'lease', dead = 'dead', done = 'done'}
    for _, member in ipairs(call('ZRANGE', k[index[state]], 0, limit - 1)) do
      local _, id = unlane(member)
      ids[#ids + 1] = id
    end
    more = #ids == limit
    local first = within(k, ids, BYTES)
    more, ids = more or #first < #ids, first
    records = records_of(k, ids)
  end
  guard_groups(k, records)
  count = cancel(k, ids, records)
end
if more then cursor = '1' end
lay_ghosts()
tell()
local bytes = 0
for i = 1, #records do bytes = bytes + #(records[i] or '') end
return remember({count, cursor, bytes})
