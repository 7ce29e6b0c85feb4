#!lua flags=allow-oom
--[[
  A part of a topic's jobs of one state, from a place on: by score and member, the ready ones by lane and number. Jobs
  that do not change keep their place, so none is missed or seen twice.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] topic
  ARGV[4] state   delayed, ready, reserved, dead or done
  ARGV[5] limit   most jobs
  ARGV[6] scan    most jobs to look at
  ARGV[7] bytes   stop when the records are longer than this in all
  ARGV[8] body    1: with bodies
  ARGV[9] prefix  of the id, or ''
  ARGV[10] from   due at this time or later (ms since 1970)
  ARGV[11] to     due before this time
  ARGV[12] place  the score or lane where the last part ended, '' to begin
  ARGV[13] place  the member or number there
  Returns {1 if that was all, else 0; place; place; settings of the topic as stored;
    then for each job {place, place, id, score on its index or -1, run or '', record}}
]]
local k = keys_of(ARGV[3], 'heads')
local state, limit, scan, room = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local prefix, from, to = ARGV[9], tonumber(ARGV[10]), tonumber(ARGV[11])
local LISTS, PAGED = {'h', 'n', 'l', 'c'}, 60000
-- no more at a time than are likely to be taken
local PART = prefix == '' and math.min(limit + 10, 100) or 100
local answer = {0, ARGV[12], ARGV[13], call('HGET', KEYS[2], k.topic) or ''}
local looked = 0

-- Takes a job into the answer if it is one of those asked for.
local function take(first, second, id, score)
  answer[2], answer[3], looked = first, second, looked + 1
  if sub(id, 1, #prefix) ~= prefix then return end
  local record = call('HGET', k.jobs, id)
  if not record then return end
  local run, due = call('HGET', k.runs, id) or '', score
  if state ~= 'delayed' then due = run ~= '' and unpack_run(run).due or struct.unpack('>I6', record, 3) end
  room = room - #record
  if due < from or due >= to then return end
  if ARGV[8] ~= '1' then
    local _, _, _, body = parts_of(record)
    record = sub(record, 1, body - 1)
  end
  answer[#answer + 1] = {first, second, id, score, run, record}
end

local function enough()
  return #answer - 4 >= limit or looked >= scan or room <= 0
end

-- Whether a comes behind b, byte by byte; Lua's own comparison follows the locale.
local function behind(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = byte(a, i), byte(b, i)
    if x ~= y then return x > y end
  end
  return #a > #b
end

-- The rank of the first member behind the place.
local function rank_behind(index, score, member)
  local low, high = call('ZCOUNT', index, '-inf', '(' .. score), call('ZCOUNT', index, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if behind(call('ZRANGE', index, middle, middle)[1], member) then high = middle else low = middle + 1 end
  end
  return low
end

local function list_index(index)
  local at = ARGV[12] ~= '' and rank_behind(index, ARGV[12], ARGV[13]) or 0
  if state == 'delayed' then at = math.max(at, call('ZCOUNT', index, '-inf', '(' .. ARGV[10])) end
  repeat
    local part = call('ZRANGE', index, at, at + PART - 1, 'WITHSCORES')
    for i = 1, #part, 2 do
      local score, _, id = tonumber(part[i + 1]), unlane(part[i])
      if state == 'delayed' and score >= to then return true end
      take(part[i + 1], part[i], id, score)
      if enough() then return false end
    end
    at = at + PART
  until #part < 2 * PART
  return true
end

-- An entry's number is its place in the list and how many have left the head while somebody pages.
local function list_ready()
  local first, number = 1, 0
  for i, lane in ipairs(LISTS) do
    if lane == ARGV[12] then first, number = i, tonumber(ARGV[13]) + 1 end
  end
  for i = first, #LISTS do
    local lane = LISTS[i]
    local head = tonumber(call('HGET', k.heads, lane) or 0)
    local at = i == first and ARGV[12] ~= '' and math.max(number - head, 0) or 0
    repeat
      local part = call('LRANGE', k[lane], at, at + PART - 1)
      for offset, id in ipairs(part) do
        local place_at = string.format('%.0f', head + at + offset - 1)
        if call('SISMEMBER', k.ghosts, LANE_BYTE[lane] .. id) == 0 then take(lane, place_at, id, -1)
        else answer[2], answer[3], looked = lane, place_at, looked + 1 end
        if enough() then return false end
      end
      at = at + PART
    until #part < PART
  end
  return true
end

local ended
if state == 'ready' then ended = list_ready()
else ended = list_index(state == 'delayed' and k.clock or state == 'reserved' and k.lease or k[state]) end
answer[1] = ended and 1 or 0
-- whoever goes on from here finds the entries by their numbers
if state == 'ready' and not ended then
  call('HSETNX', k.heads, 'h', 0)
  call('PEXPIRE', k.heads, PAGED)
end
return answer
