--[[
  What scripts share. The loader puts behind a script's first line those of these blocks, separated by blank lines,
  that the script needs, since each costs time in every call; those that only its function `rare` needs, into that.
  A script's KEYS lie in one bucket. KEYS[1] is always the bucket's `next`, from whose name the names of the
  topics' keys are made (see Keys.java, which is the data model).
    KEYS[1] next    ZSET  kind + topic, score the earliest time anything of it is due: the bucket's alarm
    KEYS[2] topics  HASH  topic -> settings, '' for none set, else version, paused (0, 1), JSON; #rev -> last version
    KEYS[3] names   ZSET  topic, all with score 0: the topics in order
    KEYS[4] awake   SET   topics with something in a ready list; with \3 before it: of which something is to be called
    KEYS[5] call    STRING  number and answer of this caller's last call of this kind (numbered scripts only)
    ARGV[1] channel the hints' channel
    ARGV[2] bucket  this bucket's number
    ARGV[3] number  of this call (numbered scripts only)
]]

local call, sub, byte = redis.call, string.sub, string.byte

-- A whole number as commands take it: Redis would make text of it as of any number, which is slow.
local function int(number)
  return string.format('%d', number)
end

local time = call('TIME')

local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The time of a push as records have it.
local stamp = struct.pack('>I6', now)

local TTR, MAX_ATTEMPTS = 60000, 10

local KEEP_DEAD = 604800000

local BACKOFF = {base = 1000, factor = 2, max = 600000, jitter = 0.1}

-- How long a call's answer is kept for its repetition, in ms.
local CALL_KEPT = '600000'

-- A job's lane: its priority, or c if it is delivered by callback.
local LANES = {'h', 'l', 'c'}

-- On the clock the lane is a byte before the id, none for the normal lane, so that `due` need not read records. Ids
-- hold no control characters.
local LANE_BYTE = {n = '', h = '\1', l = '\2', c = '\3'}

local bucket_keys = sub(KEYS[1], 1, -5)

local servers_key = bucket_keys .. 'servers'

local history_key = bucket_keys .. 'history'

-- Of jobs whose ids are the same in all topics: id -> topic.
local ids_key = bucket_keys .. 'ids'

-- The earliest alarm that this call has set.
local armed = false

-- Topics whose dispatchers are to be told.
local woken = {}

-- Topics whose ready lists got ghosts in this call.
local haunted = {}

-- What was set for the topics of this call.
local settings = {}

-- Redis begins every script with the same seed.
local random = math.randomseed(tonumber(time[2])) or math.random

-- The keys of a topic, of which the script may write the given ones: these are read now, so that a slot on the move
-- refuses the script before its first write. One letter is the ready list of a lane. Those that most scripts use are
-- made at once, for a table that grows, or that makes what it lacks, takes longer.
local function keys_of(topic, ...)
  local b, r, written = bucket_keys, bucket_keys .. 'ready:' .. topic, {...}
  local k = {topic = topic, jobs = b .. 'jobs:' .. topic, clock = b .. 'clock:' .. topic, runs = b .. 'runs:' .. topic,
    lease = b .. 'lease:' .. topic, dead = b .. 'dead:' .. topic, done = b .. 'done:' .. topic,
    log = b .. 'log:' .. topic, expire = b .. 'expire:' .. topic, ghosts = b .. 'ghosts:' .. topic,
    heads = b .. 'heads:' .. topic, n = r .. ':n', h = r .. ':h', l = r .. ':l', c = r .. ':c'}
  for i, kind in ipairs(written) do
    k[kind] = k[kind] or b .. kind .. ':' .. topic
    written[i] = k[kind]
  end
  if #written > 0 then call('EXISTS', unpack(written)) end
  return k
end

-- What a key that a rebucket has set aside was named before.
local function former(key)
  return (string.gsub(key, '}:old:', '}:', 1))
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

-- What was set for a topic; the fields are those of SettingsRecord.java.
local function settings_of(topic)
  local known = settings[topic]
  if not known then
    local text = call('HGET', KEYS[2], topic)
    local paused, json = string.match(text or '', '^%d+ (%d) (.+)$')
    known = json and cjson.decode(json) or {}
    known.paused, known.there = paused == '1', text ~= false
    settings[topic] = known
  end
  return known
end

-- The topic's alarm of one kind (c clock, l lease, e expiry, d dead to sweep, o done to sweep, g ghosts) goes off at
-- the given time at the latest.
local function arm(kind, topic, at)
  if call('ZADD', KEYS[1], 'LT', 'CH', int(at), kind .. topic) == 1 and (not armed or at < armed) then armed = at end
end

-- Tells the scanner of an earlier alarm and the dispatchers of topics that were empty before.
local function tell()
  if armed and armed == tonumber(call('ZRANGE', KEYS[1], '0', '0', 'WITHSCORES')[2]) then
    call('PUBLISH', ARGV[1], string.format('a%s %.0f %.0f', ARGV[2], armed, now))
  end
  for _, topic in ipairs(woken) do call('PUBLISH', ARGV[1], 'r' .. ARGV[2] .. ' ' .. topic) end
end

local function wake(topic)
  if not woken[topic] then
    woken[topic] = true
    woken[#woken + 1] = topic
  end
end

-- What the jobs of a topic that are delivered by callback are called, in `awake`, in hints and in reserve.
local function by_callback(topic)
  return '\3' .. topic
end

-- Jobs of a lane have become ready: whoever serves them is told if there were none.
local function rouse(topic, lane)
  if lane ~= 'c' and call('SADD', KEYS[4], topic) == 1 then wake(topic) end
  if (lane == 'c' or settings_of(topic).callback) and call('SADD', KEYS[4], by_callback(topic)) == 1 then
    wake(by_callback(topic))
  end
end

-- A job is reserved no more: under a limit that makes room for another.
local function freed(topic)
  if settings_of(topic).maxInFlight then
    wake(topic)
    if call('SISMEMBER', KEYS[4], by_callback(topic)) == 1 then wake(by_callback(topic)) end
  end
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
  rouse(k.topic, lane)
end

-- What a record says beside its body: ttl, own rules ('' if none), group, where the body begins, extras, as
-- JobRecord.java has it. One that is not stored yet has no time of the push: its parts begin at the third byte.
local function parts_of(record, from)
  local flags, at = byte(record, 2), from or 9
  local ttl, rules, group, extras
  if flags % 128 >= 64 then ttl, at = struct.unpack('>I6', record, at) end
  if flags % 16 >= 8 then rules, at = struct.unpack('>I2c0', record, at) end
  if flags % 64 >= 32 then group, at = struct.unpack('>I2c0', record, at) end
  if flags % 32 >= 16 then extras, at = struct.unpack('>I4c0', record, at) end
  return ttl, rules or '', group, at, extras
end

-- The key of a group; the topic's length tells where its name ends.
local function group_key(topic, group)
  return bucket_keys .. 'group:' .. #topic .. ':' .. topic .. ':' .. group
end

-- The key of a job's group, nil if it has none.
local function group_of(k, record, from)
  if not record or byte(record, 2) % 64 < 32 then return nil end
  local _, _, group = parts_of(record, from)
  return group_key(k.topic, group)
end

-- Whether the job's id is the same in all topics.
local function is_owned(record)
  return byte(record, 2) >= 128
end

-- Reads the keys of the groups, and of `ids`, that jobs may leave, or come to, before the first write.
local function guard_groups(k, records, from)
  for i = 1, #records do
    local key = group_of(k, records[i], from)
    if key then call('EXISTS', key) end
    if records[i] and is_owned(records[i]) then call('EXISTS', ids_key) end
  end
end

-- The records of jobs, false for one that is not there.
local function records_of(k, ids)
  return #ids > 0 and call('HMGET', k.jobs, unpack(ids)) or {}
end

-- The first of the ids, as many as have records of so many bytes in all, but at least one: a script that reads them
-- must not take long.
local function within(k, ids, bytes)
  local first = {}
  for i, id in ipairs(ids) do
    first[i] = id
    bytes = bytes - call('HSTRLEN', k.jobs, id)
    if bytes <= 0 then break end
  end
  return first
end

-- A run: what a job that left the clock knows of its attempts. grouped (1 if it has a group or is under `ids`, for
-- which its record must be read when it ends), losses in a row,
-- attempts, due, started (the last attempt), expires (only while it is reserved; 0: never), lease ('' if none),
-- rules (the job's own ttr and retry as JSON, or ''), error ('' if none).
local function unpack_run(packed)
  local run = {}
  local at
  run.lease, run.grouped, run.lane, run.losses, run.attempts, run.due, run.started, run.expires, run.rules, at =
    struct.unpack('>Bc0Bc1BI4I6I6I6I2c0', packed)
  run.error = sub(packed, at)
  return run
end

local function pack_run(run)
  return struct.pack('>Bc0Bc1BI4I6I6I6I2c0', #run.lease, run.lease, run.grouped, run.lane, run.losses, run.attempts,
    run.due, run.started, run.expires, #run.rules, run.rules) .. run.error
end

-- How the run of a job that never ran begins.
local NEW_RUN = {n = '\0\0n\0\0\0\0\0', h = '\0\0h\0\0\0\0\0', l = '\0\0l\0\0\0\0\0', c = '\0\0c\0\0\0\0\0'}

-- Such a run, without a table for it: this is done for every job. Its due time is packed, here and below.
local function pack_new_run(lane, due)
  return NEW_RUN[lane] .. due .. '\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
end

-- When such a job was due, nil if it is another kind of run. One that was ready at once has none yet and was due when
-- it was pushed.
local function due_of_new(packed, lane, record)
  if not packed then return sub(record, 3, 8) end
  if #packed == 28 and sub(packed, 1, 8) == NEW_RUN[lane] then return sub(packed, 9, 14) end
end

-- How the run of a job goes on behind its lease at its first attempt, and ends if that is now.
local FIRST_RUN = {n = '\0n\0\0\0\0\1', h = '\0h\0\0\0\0\1', l = '\0l\0\0\0\0\1', c = '\0c\0\0\0\0\1'}

local RUN_BEGUN = stamp .. '\0\0\0\0\0\0\0\0'


-- Whether a packed run has this lease, without taking it apart.
local function holds(packed, lease)
  return packed and lease ~= '' and byte(packed) == #lease and sub(packed, 2, #lease + 1) == lease
end

-- The run of a job that has none yet.
local function new_run(lane, due)
  return {lane = lane, grouped = 0, losses = 0, attempts = 0, due = due, started = 0, expires = 0,
    lease = '', rules = '', error = ''}
end

local function rules_of(run, set)
  if run.rules == '' then return set.ttr or TTR, set.maxAttempts or MAX_ATTEMPTS, set.backoff or BACKOFF end
  local own = cjson.decode(run.rules)
  return own.t or set.ttr or TTR, own.m or set.maxAttempts or MAX_ATTEMPTS, own.b or set.backoff or BACKOFF
end

local function backoff(rule, attempt)
  if rule[1] then return rule[math.min(attempt, #rule)] end
  if rule.base == 0 then return 0 end
  local wait = math.min(rule.base * rule.factor ^ (attempt - 1), rule.max)
  return math.floor(wait * (1 - rule.jitter * random()))
end

-- Text of at most so many bytes, cut between characters.
local function cut(text, most)
  if #text <= most then return text end
  while most > 0 and byte(text, most + 1) >= 128 and byte(text, most + 1) < 192 do most = most - 1 end
  return sub(text, 1, most)
end

-- Writes down how an attempt ended; the last ten of a job are kept, a JSON object a line. What more there is to say
-- comes as further members, or ''.
local function write_log(k, id, run, start, outcome, by, more)
  local entry = string.format('{"attempt":%d,"start":%.0f,"end":%.0f,"outcome":"%s"', run.attempts, start, now, outcome)
  if run.error ~= '' then entry = entry .. ',"error":' .. cjson.encode(cut(run.error, 512)) end
  if by ~= '' then entry = entry .. ',"by":' .. cjson.encode(by) end
  local kept = call('HGET', k.log, id) or ''
  local _, lines = string.gsub(kept, '\n', '\n')
  if lines >= 10 then kept = sub(kept, string.find(kept, '\n', 1, true) + 1) end
  call('HSET', k.log, id, kept .. entry .. (more or '') .. '}\n')
end

-- Jobs leave their groups, and `ids`.
local function ungroup(k, ids, records)
  for i = 1, #ids do
    local record = records[i]
    if record then
      local group = group_of(k, record)
      if group then call('SREM', group, ids[i]) end
      if is_owned(record) then call('HDEL', ids_key, ids[i]) end
    end
  end
end

-- Nothing is left of jobs that stand on no index any more and are in no group.
local function erase(k, ids)
  if #ids == 0 then return end
  call('HDEL', k.jobs, unpack(ids))
  call('HDEL', k.runs, unpack(ids))
  if call('EXISTS', k.log, k.expire) > 0 then
    call('HDEL', k.log, unpack(ids))
    call('ZREM', k.expire, unpack(ids))
  end
end

-- Nothing is left of jobs that stand on no index any more.
local function forget(k, ids, records)
  ungroup(k, ids, records)
  erase(k, ids)
end

-- A job that was reserved is done, and kept. Out of its group, for it does not come back.
local function keep(k, id, packed, record, by, more)
  local group, run = group_of(k, record), unpack_run(packed)
  if group then call('SREM', group, id) end
  run.lease, run.expires, run.error = '', 0, ''
  write_log(k, id, run, run.started, 'acked', by, more)
  call('HSET', k.runs, id, pack_run(run))
  call('ZADD', k.done, now, id)
end

local function die(k, id)
  call('ZADD', k.dead, now, id)
  arm('d', k.topic, now + (settings_of(k.topic).keepDead or KEEP_DEAD))
end

-- The job expires at that time unless it is done before.
local function expire_at(k, id, at)
  call('ZADD', k.expire, at, id)
  arm('e', k.topic, at)
end

-- The end of a job whose ttl is over and that stands on no index any more. Returns its state: gone, or dead if the
-- topic keeps such; the caller then stores the run.
local function expired(k, id, run, record)
  if settings_of(k.topic).onExpire ~= 'dead' then
    forget(k, {id}, {record})
    return 'gone'
  end
  run.lease, run.expires, run.error = '', 0, 'its ttl ended before it was done'
  call('ZREM', k.expire, id)
  die(k, id)
  return 'dead'
end

-- After an attempt that failed: gone or dead if its ttl is over, dead if it was the last, else ready again after the
-- wait, by backoff if nil, dead if that is negative. The caller has taken the job off `lease`; it stores the run unless
-- the job is gone.
-- Returns the new state.
local function run_again(k, id, run, record, how, wait, by, more)
  local over = run.expires > 0 and run.expires <= now
  write_log(k, id, run, run.started, over and 'expired' or how, by, more)
  freed(k.topic)
  if over then return expired(k, id, run, record) end
  local _, most, rule = rules_of(run, settings_of(k.topic))
  run.lease = ''
  if wait and wait < 0 or most > 0 and run.attempts >= most then
    run.expires = 0
    die(k, id)
    return 'dead'
  end
  if run.expires > 0 then
    expire_at(k, id, run.expires)
    run.expires = 0
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

-- All there is to say of a job: state, score on its index or -1, run or '', record, settings of its topic as stored,
-- attempt log or ''; false if there is none.
local function all_of(k, id)
  local record = call('HGET', k.jobs, id)
  if not record then return false end
  local state, score = state_of(k, id, lane_of(record))
  return {state, score or -1, call('HGET', k.runs, id) or '', record, call('HGET', KEYS[2], k.topic) or '',
    call('HGET', k.log, id) or ''}
end

local function ready_count(k)
  return call('LLEN', k.n) + call('LLEN', k.h) + call('LLEN', k.l) + call('LLEN', k.c), call('SCARD', k.ghosts)
end

-- Deletes ready lists in which no live entry is left; else tells how many entries and ghosts there are.
local function bury(k)
  local entries, ghosts = ready_count(k)
  if ghosts < entries then return entries, ghosts end
  call('UNLINK', k.n, k.h, k.l, k.c, k.ghosts)
  call('SREM', KEYS[4], k.topic, by_callback(k.topic))
  return 0, 0
end

-- After the last detach: what the ghosts of this call come to.
local function lay_ghosts()
  for k in pairs(haunted) do
    local entries, ghosts = bury(k)
    if ghosts > 1000 and ghosts > entries - ghosts then arm('g', k.topic, now) end
  end
end

-- Takes a job off the index it stands on. A ready one leaves its list entry behind as a ghost, since taking it out
-- of the list would cost as much as the list is long.
local function detach(k, id, lane, state)
  if state == 'delayed' then call('ZREM', k.clock, LANE_BYTE[lane] .. id)
  elseif state == 'dead' then call('ZREM', k.dead, id)
  elseif state == 'done' then call('ZREM', k.done, id)
  elseif state == 'reserved' then
    call('ZREM', k.lease, id)
    freed(k.topic)
  else
    call('SADD', k.ghosts, LANE_BYTE[lane] .. id)
    haunted[k] = true
  end
end

-- Cancels jobs, each id given once: in any state, or in one of the given ones. Returns how many.
local function cancel(k, ids, records, states)
  if #ids == 0 then return 0 end
  local gone, gone_records, found, members, off = {}, {}, {}, {}, {}
  for i, id in ipairs(ids) do members[i] = records[i] and LANE_BYTE[lane_of(records[i])] .. id or '' end
  -- most are on the clock: those are looked up together, and taken off together
  local dues = call('ZMSCORE', k.clock, unpack(members))
  for i, id in ipairs(ids) do
    found[i] = records[i] and (dues[i] and 'delayed' or state_of(k, id, lane_of(records[i])))
  end
  for i, id in ipairs(ids) do
    if found[i] and (not states or states[found[i]]) then
      if dues[i] then off[#off + 1] = members[i] else detach(k, id, lane_of(records[i]), found[i]) end
      gone[#gone + 1] = id
      gone_records[#gone_records + 1] = records[i]
    end
  end
  if #off > 0 then call('ZREM', k.clock, unpack(off)) end
  forget(k, gone, gone_records)
  return #gone
end

-- While somebody pages through the ready lists, their heads are counted: an entry keeps its number.
local function popped(k, lane, count)
  if call('EXISTS', k.heads) == 1 then call('HINCRBY', k.heads, lane, count) end
end

-- A due time from what the pusher said: a wait, or the negative of a time since 1970.
local function due_of(when)
  if when < 0 then return math.max(-when, now) end
  return now + when
end

-- Puts stored jobs, given as id, due, lane, ttl (or false) one after the other, on the clock or on ready.
local function place(k, jobs)
  local clock, ready, earliest = {}, {}, nil
  for i = 1, #jobs, 4 do
    local id, due, lane, ttl = jobs[i], jobs[i + 1], jobs[i + 2], jobs[i + 3]
    if due > now then
      clock[#clock + 1] = due
      clock[#clock + 1] = LANE_BYTE[lane] .. id
      if not earliest or due < earliest then earliest = due end
    else
      ready[lane] = ready[lane] or {}
      table.insert(ready[lane], id)
    end
    if ttl then expire_at(k, id, due + ttl) end
  end
  if earliest then
    call('ZADD', k.clock, unpack(clock))
    arm('c', k.topic, earliest)
  end
  for lane, ids in pairs(ready) do make_ready(k, lane, ids) end
end

-- A record as stored: with the time of the push, and with what is fixed then if it was left to the topic. In what
-- comes, priority 0 is none given and 3 is normal.
local function stamped(record, set)
  local flags, ttl = byte(record, 2), ''
  if flags == 0 and not set.ttl and not set.priority then return sub(record, 1, 2) .. stamp .. sub(record, 3) end
  if flags % 4 == 3 then flags = flags - 3
  elseif flags % 4 == 0 then flags = flags + (set.priority == 'high' and 1 or set.priority == 'low' and 2 or 0) end
  if set.ttl and flags % 128 < 64 then flags, ttl = flags + 64, struct.pack('>I6', set.ttl) end
  return sub(record, 1, 1) .. string.char(flags) .. stamp .. ttl .. sub(record, 3)
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

-- Every width-th argument of a group, beginning with the given one: all ids, or all records.
local function column(group, width, first)
  local values, args, from = {}, ARGV, group.from + first - 1
  for i = 0, (group.to - group.from + 1) / width - 1 do values[i + 1] = args[from + i * width] end
  return values
end

-- After a change of settings: what is kept, and who may have a job, is to be found out anew.
local function obey(k)
  if call('EXISTS', k.dead) == 1 then arm('d', k.topic, now) end
  if call('EXISTS', k.done) == 1 then arm('o', k.topic, now) end
  local called = by_callback(k.topic)
  if call('SISMEMBER', KEYS[4], k.topic) == 1 then
    wake(k.topic)
    -- if the topic has no callback, whoever makes them finds nothing there
    call('SADD', KEYS[4], called)
  end
  if call('SISMEMBER', KEYS[4], called) == 1 then wake(called) end
end

-- A topic comes into being with its first job.
local function create(topic)
  local known = settings_of(topic)
  if not known.there then
    call('HSET', KEYS[2], topic, '')
    call('ZADD', KEYS[3], 0, topic)
    known.there = true
  end
end
