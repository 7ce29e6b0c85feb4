--[[
  What scripts share. The loader puts behind a script's first line those of these blocks, separated by blank lines,
  that the script needs, since each costs time in every call.
  A script's KEYS lie in one bucket. KEYS[1] is always the bucket's `next`, from whose name the names of the
  topics' keys are made (see Keys.java, which is the data model).
    KEYS[1] next    ZSET  kind + topic, score the earliest time anything of it is due: the bucket's alarm
    KEYS[2] topics  HASH  topic -> settings
    KEYS[3] names   ZSET  topic, all with score 0: the topics in order
    KEYS[4] awake   SET   topics with something in a ready list
    KEYS[5] call    STRING  number and answer of this caller's last call of this kind (numbered scripts only)
    ARGV[1] channel the hints' channel
    ARGV[2] bucket  this bucket's number
    ARGV[3] number  of this call (numbered scripts only)
]]

local call, sub, byte = redis.call, string.sub, string.byte

local time = call('TIME')

local now = time[1] * 1000 + math.floor(time[2] / 1000)

local TTR, MAX_ATTEMPTS = 60000, 10

local BACKOFF = {base = 1000, factor = 2, max = 600000, jitter = 0.1}

-- How long a call's answer is kept for its repetition, in ms.
local CALL_KEPT = 600000

-- A job's lane: its priority, or c if it is delivered by callback.
local LANES = {'h', 'l', 'c'}

-- On the clock the lane is a byte before the id, none for the normal lane, so that `due` need not read records. Ids
-- hold no control characters.
local LANE_BYTE = {n = '', h = '\1', l = '\2', c = '\3'}

local bucket_keys = sub(KEYS[1], 1, -5)

local alarm, sooner = tonumber(call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]), false

local woken = {}

-- Redis begins every script with the same seed.
local random = math.randomseed(tonumber(time[2])) or math.random

-- The keys of a topic, each made when it is first used.
local NAMED = {__index = function(k, kind)
  local key = #kind == 1 and bucket_keys .. 'ready:' .. k.topic .. ':' .. kind or bucket_keys .. kind .. ':' .. k.topic
  rawset(k, kind, key)
  return key
end}

-- The keys of a topic, of which the script may write the given ones: these are read now, so that a slot on the move
-- refuses the script before its first write. One letter is the ready list of a lane.
local function keys_of(topic, ...)
  local k, written = setmetatable({topic = topic}, NAMED), {...}
  for i, kind in ipairs(written) do written[i] = k[kind] end
  if #written > 0 then call('EXISTS', unpack(written)) end
  return k
end

-- The answer of this very call if it ran before, else nil. A call older than the caller's last one is refused.
local function replay()
  local last = call('GET', KEYS[5])
  if last then
    local number, at = struct.unpack('>I8', last)
    if number == tonumber(ARGV[3]) then return cmsgpack.unpack(sub(last, at)) end
    if number > tonumber(ARGV[3]) then return redis.error_reply('STALECALL a later call was served') end
  end
end

local function remember(answer)
  call('SET', KEYS[5], struct.pack('>I8', tonumber(ARGV[3])) .. cmsgpack.pack(answer), 'PX', CALL_KEPT)
  return answer
end

-- The topic's alarm of one kind (c clock, l lease, g ghosts) goes off at the given time at the latest.
local function arm(kind, topic, at)
  call('ZADD', KEYS[1], 'LT', at, kind .. topic)
  if not alarm or at < alarm then alarm, sooner = at, true end
end

-- Tells the scanner of an earlier alarm and the dispatchers of topics that were empty before.
local function tell()
  if sooner then call('PUBLISH', ARGV[1], string.format('a%s %.0f %.0f', ARGV[2], alarm, now)) end
  for _, topic in ipairs(woken) do call('PUBLISH', ARGV[1], 'r' .. ARGV[2] .. ' ' .. topic) end
end

local function lane_of(record)
  local flags = byte(record, 2)
  if flags % 8 >= 4 then return 'c' end
  return LANES[flags % 4] or 'n'
end

local function unlane(member)
  local lane = LANES[byte(member)]
  if lane then return lane, sub(member, 2) end
  return 'n', member
end

-- Puts ids at the end of a lane. An id whose old entry is still there (a ghost) gets that one back.
local function make_ready(k, lane, ids)
  if call('EXISTS', k.ghosts) == 1 then
    local fresh = {}
    for _, id in ipairs(ids) do
      if call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then fresh[#fresh + 1] = id end
    end
    ids = fresh
  end
  if #ids > 0 then call('RPUSH', k[lane], unpack(ids)) end
  if lane ~= 'c' and call('SADD', KEYS[4], k.topic) == 1 then woken[#woken + 1] = k.topic end
end

-- A run: what a job that left the clock knows of its attempts. attempts, losses in a row, due, lease ('' if none),
-- rules (the job's own ttr and retry as JSON, or ''), error ('' if none).
local function unpack_run(packed)
  local run = {}
  local at
  run.lane, run.losses, run.attempts, run.due, run.lease, run.rules, at =
    struct.unpack('>c1BI4I8Bc0I2c0', packed)
  run.error = sub(packed, at)
  return run
end

local function pack_run(run)
  return struct.pack('>c1BI4I8Bc0I2c0', run.lane, run.losses, run.attempts, run.due,
    #run.lease, run.lease, #run.rules, run.rules) .. run.error
end

-- The run of a job that has none yet.
local function new_run(lane, due)
  return {lane = lane, losses = 0, attempts = 0, due = due, lease = '', rules = '', error = ''}
end

local function rules_of(run)
  local own = run.rules ~= '' and cjson.decode(run.rules) or {}
  return own.t or TTR, own.m or MAX_ATTEMPTS, own.b or BACKOFF
end

local function backoff(rule, attempt)
  if rule[1] then return rule[math.min(attempt, #rule)] end
  if rule.base == 0 then return 0 end
  local wait = math.min(rule.base * rule.factor ^ (attempt - 1), rule.max)
  return math.floor(wait * (1 - rule.jitter * random()))
end

-- After an attempt that failed: dead if it was the last, else ready again after the wait, or by backoff if nil.
-- The caller has taken the job off `lease` and stores the run afterwards. Returns the new state.
local function run_again(k, id, run, wait)
  local _, most, rule = rules_of(run)
  run.lease = ''
  if most > 0 and run.attempts >= most then
    call('ZADD', k.dead, now, id)
    return 'dead'
  end
  wait = wait or backoff(rule, run.attempts)
  run.due = now + wait
  if wait == 0 then
    make_ready(k, run.lane, {id})
    return 'ready'
  end
  call('ZADD', k.clock, run.due, LANE_BYTE[run.lane] .. id)
  arm('c', k.topic, run.due)
  return 'delayed'
end

-- Where a stored job stands, and the score it has there.
local function state_of(k, id, lane)
  local due = call('ZSCORE', k.clock, LANE_BYTE[lane] .. id)
  if due then return 'delayed', tonumber(due) end
  for state, index in pairs({reserved = k.lease, dead = k.dead, done = k.done}) do
    local score = call('ZSCORE', index, id)
    if score then return state, tonumber(score) end
  end
  return 'ready'
end

local function ready_count(k)
  return call('LLEN', k.n) + call('LLEN', k.h) + call('LLEN', k.l) + call('LLEN', k.c), call('SCARD', k.ghosts)
end

-- Deletes ready lists in which no live entry is left; else tells how many entries and ghosts there are.
local function bury(k)
  local entries, ghosts = ready_count(k)
  if ghosts < entries then return entries, ghosts end
  call('UNLINK', k.n, k.h, k.l, k.c, k.ghosts)
  call('SREM', KEYS[4], k.topic)
  return 0, 0
end

-- Takes a job off the index it stands on. A ready one leaves its list entry behind as a ghost, since taking it out
-- of the list would cost as much as the list is long.
local function detach(k, id, lane, state)
  if state == 'delayed' then call('ZREM', k.clock, LANE_BYTE[lane] .. id)
  elseif state == 'reserved' then call('ZREM', k.lease, id)
  elseif state == 'dead' then call('ZREM', k.dead, id)
  elseif state == 'done' then call('ZREM', k.done, id)
  else
    call('SADD', k.ghosts, LANE_BYTE[lane] .. id)
    local entries, ghosts = bury(k)
    if ghosts > 1000 and ghosts > entries - ghosts then arm('g', k.topic, now) end
  end
end

-- A due time from what the pusher said: a wait, or the negative of a time since 1970.
local function due_of(when)
  if when < 0 then return math.max(-when, now) end
  return now + when
end

-- Puts stored jobs, given as id, due, lane one after the other, on the clock or on ready.
local function place(k, jobs)
  local clock, ready, earliest = {}, {}, nil
  for i = 1, #jobs, 3 do
    local id, due, lane = jobs[i], jobs[i + 1], jobs[i + 2]
    if due > now then
      clock[#clock + 1] = due
      clock[#clock + 1] = LANE_BYTE[lane] .. id
      if not earliest or due < earliest then earliest = due end
    else
      ready[lane] = ready[lane] or {}
      table.insert(ready[lane], id)
    end
  end
  if earliest then
    call('ZADD', k.clock, unpack(clock))
    arm('c', k.topic, earliest)
  end
  for lane, ids in pairs(ready) do make_ready(k, lane, ids) end
end

-- A record as stored: format and flags, then the time of the push, then the rest as it came.
local function stamped(record)
  return sub(record, 1, 2) .. struct.pack('>I6', now) .. sub(record, 3)
end

-- The arguments from ARGV[from] on, in groups: topic, count, then `width` arguments for each job. Reads every key
-- first.
local function groups_of(from, width, ...)
  local groups, at = {}, from
  while ARGV[at] do
    local count = tonumber(ARGV[at + 1])
    groups[#groups + 1] = {k = keys_of(ARGV[at], ...), from = at + 2, to = at + 1 + count * width}
    at = at + 2 + count * width
  end
  return groups
end

-- A topic comes into being with its first job.
local function create(topic)
  if call('HSETNX', KEYS[2], topic, '') == 1 then call('ZADD', KEYS[3], 0, topic) end
end
