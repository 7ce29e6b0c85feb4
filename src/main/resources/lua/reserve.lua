#!lua flags=allow-oom
--[[
  Leases ready jobs to the caller, by priority: of ten places seven to high, two to normal, one to low, free ones to
  whoever has jobs. Nothing of a topic that is paused or delivers by callback.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] token  random text, new with each call; a job's lease is the token and its place in the answer
  ARGV[5] bytes  stop when the records are longer than this in all
  ARGV[6..] topic, how many (negative: the caller has its turn, see turn.lua); again for each topic
  Returns {now, then for each topic: 1 if more is there, 2 if a turn is needed, else 0; how many; and for each of these
    id, lease, attempt, maxAttempts, due, deadline, record}
  Atomic: a job is leased with its alarm set, or still ready.
]]
local PLACES = {'h', 'h', 'n', 'h', 'h', 'l', 'h', 'h', 'n', 'h'}
local known = replay()
if known and known.err then return known end
local token, room, place_no = ARGV[4], tonumber(ARGV[5]), 0
local answer, memory = {now}, {}

local function say(id, run, most, deadline, record)
  for _, value in ipairs({id, run.lease, run.attempts, most, run.due, deadline, record}) do
    answer[#answer + 1] = value
  end
end

-- The same call again: what it leased and is still leased.
if known then
  for _, was in ipairs(known) do
    local k = keys_of(was.topic)
    answer[#answer + 1] = was.more
    answer[#answer + 1] = 0
    local count_at = #answer
    for _, leased in ipairs(was.leased) do
      local packed = call('HGET', k.runs, leased[1])
      local run = packed and unpack_run(packed)
      if run and run.lease == leased[2] then
        local _, most = rules_of(run, settings_of(k.topic))
        say(leased[1], run, most, tonumber(call('ZSCORE', k.lease, leased[1])), call('HGET', k.jobs, leased[1]))
        answer[count_at] = answer[count_at] + 1
      end
    end
  end
  return answer
end

-- How many to take from each lane for n places.
local function shares(k, n)
  local left = {h = call('LLEN', k.h), n = call('LLEN', k.n), l = call('LLEN', k.l)}
  local take = {h = 0, n = 0, l = 0}
  for i = 1, math.min(n, left.h + left.n + left.l) do
    local lane = PLACES[(time[2] + i) % 10 + 1]
    if left[lane] == 0 then lane = left.h > 0 and 'h' or left.n > 0 and 'n' or 'l' end
    left[lane], take[lane] = left[lane] - 1, take[lane] + 1
  end
  return take
end

-- Up to n live jobs off ready, as id and lane, at most 3n entries looked at.
local function pop(k, n)
  local watched = call('EXISTS', k.ghosts, k.heads) > 0
  local haunted_list, found, looked = watched and call('EXISTS', k.ghosts) == 1, {}, 0
  repeat
    local before = looked
    for lane, count in pairs(shares(k, n - #found)) do
      local ids = count > 0 and call('LPOP', k[lane], count) or {}
      if watched and #ids > 0 then popped(k, lane, #ids) end
      for _, id in ipairs(ids) do
        looked = looked + 1
        if not haunted_list or call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then
          found[#found + 1] = {id, lane}
        end
      end
    end
  until #found >= n or looked == before or looked >= 2 * n
  return found
end

-- Puts the jobs from the i-th on back to the head of their lists, as they stood.
local function put_back(k, found, i)
  for back = #found, i, -1 do
    local id, lane = found[back][1], found[back][2]
    call('LPUSH', k[lane], id)
    popped(k, lane, -1)
  end
end

-- What may be found expired has its group's key read.
local function guard_expiring(k, n)
  local first = tonumber(call('ZRANGE', k.expire, 0, 0, 'WITHSCORES')[2])
  if not first or first > now then return end
  for _, lane in ipairs({'h', 'n', 'l'}) do
    local ids = call('LRANGE', k[lane], 0, 3 * n)
    if #ids > 0 then guard_groups(k, records_of(k, ids)) end
  end
end

local function lease(k, n)
  local set, found = settings_of(k.topic), room > 0 and pop(k, n) or {}
  local ids, leased, runs, leases, soonest = {}, {}, {}, {}, nil
  for i, job in ipairs(found) do ids[i] = job[1] end
  local packed = #ids > 0 and call('HMGET', k.runs, unpack(ids))
  local ends = #ids > 0 and call('EXISTS', k.expire) == 1 and call('ZMSCORE', k.expire, unpack(ids)) or {}
  for i, id in ipairs(ids) do
    if room <= 0 then
      put_back(k, found, i)
      break
    end
    local record = call('HGET', k.jobs, id)
    -- an entry without a record cannot be; if it ever is, it must not stop the others
    if record then
      local run = packed[i] and unpack_run(packed[i]) or new_run(found[i][2], (struct.unpack('>I6', record, 3)))
      local expires = tonumber(ends[i] or 0)
      if expires > 0 then call('ZREM', k.expire, id) end
      if expires > 0 and expires <= now then
        if expired(k, id, run, record) == 'dead' then
          write_log(k, id, run, run.due, 'expired', '')
          call('HSET', k.runs, id, pack_run(run))
        end
      else
        local flags = byte(record, 2)
        if flags % 16 >= 8 then
          local _, rules = parts_of(record)
          run.rules = rules
        else
          run.rules = ''
        end
        run.grouped, run.expires, run.started = flags % 64 >= 32 and 1 or 0, expires, now
        run.attempts, run.lease = run.attempts + 1, token .. place_no
        place_no = place_no + 1
        local ttr, most = rules_of(run, set)
        local deadline = now + ttr
        if not soonest or deadline < soonest then soonest = deadline end
        runs[#runs + 1] = id
        runs[#runs + 1] = pack_run(run)
        leases[#leases + 1] = deadline
        leases[#leases + 1] = id
        leased[#leased + 1] = {id, run.lease}
        say(id, run, most, deadline, record)
        room = room - #record
      end
    end
  end
  if soonest then
    call('HSET', k.runs, unpack(runs))
    call('ZADD', k.lease, unpack(leases))
    arm('l', k.topic, soonest)
  end
  return leased
end

local wanted = {}
for at = 6, #ARGV, 2 do
  local k = keys_of(ARGV[at], 'jobs', 'lease', 'runs', 'log', 'expire', 'dead', 'n', 'h', 'l', 'c', 'ghosts', 'heads')
  local set, n = settings_of(k.topic), tonumber(ARGV[at + 1])
  local refused = nil
  if set.paused or set.callback then refused = 0
  elseif n > 0 and (set.maxInFlight or set.ratePerSecond) then refused = 2 end
  wanted[#wanted + 1] = {k = k, n = math.abs(n), refused = refused}
  if not refused then guard_expiring(k, math.abs(n)) end
end
for _, want in ipairs(wanted) do
  local k, more, leased = want.k, want.refused, {}
  answer[#answer + 1] = 0
  answer[#answer + 1] = 0
  local head = #answer
  if not more then
    leased = lease(k, want.n)
    -- the last live one may have stood before ghosts
    if call('EXISTS', k.ghosts) == 1 then bury(k) end
    more = call('LLEN', k.h) + call('LLEN', k.n) + call('LLEN', k.l) > 0 and 1 or 0
    if more == 0 then call('SREM', KEYS[4], k.topic) end
  end
  answer[head - 1], answer[head] = more, #leased
  memory[#memory + 1] = {topic = k.topic, more = more, leased = leased}
end
tell()
remember(memory)
return answer
