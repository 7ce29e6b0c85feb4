#!lua flags=allow-oom
--[[
  Does what is due, the due topics in turn: clock -> ready; ended leases -> retry by backoff, or dead; jobs whose ttl
  is over -> gone, or dead; dead and done jobs kept long enough -> gone; ghosts swept.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] limit  most jobs to move in one call
  Returns {now in microseconds, next alarm or -1, how many were moved; then for each topic of which some jobs came to
    one of these ends: its name, how many run again, are dead, are gone}
  Atomic: a job is on one index, never on two or none. Two scanners at once are harmless.
]]
local TOPICS, PAGING, MOST_GHOSTS, BYTES, ALIKE = '64', 60000, 100000, 262144, 4
local now_text = int(now)
local alarms = call('ZRANGE', KEYS[1], '-inf', now_text, 'BYSCORE', 'LIMIT', '0', TOPICS)
local share, moved = math.max(1, math.floor(tonumber(ARGV[3]) / math.max(1, #alarms))), 0
local keys, found, ends, others = {}, {}, {}, false

-- What is due on the clock, in its order, and when each was. Redis prints every time that it is asked for, which takes
-- long: of many that are due at one time it is asked once.
local function due_on(clock)
  local members, times, count = {}, {}, 0
  local most = int(math.min(share, ALIKE))
  local few = call('ZRANGE', clock, '-inf', now_text, 'BYSCORE', 'LIMIT', '0', most, 'WITHSCORES')
  if #few < 2 * ALIKE then
    for i = 1, #few / 2 do members[i], times[i] = few[2 * i - 1], few[2 * i] end
    return members, times, #few / 2
  end
  repeat
    local time_of = call('ZRANGE', clock, count, count, 'WITHSCORES')[2]
    if not time_of or tonumber(time_of) > now then return members, times, count end
    local alike = math.min(call('ZCOUNT', clock, time_of, time_of), share - count)
    if alike >= ALIKE then
      local some = call('ZRANGE', clock, count, count + alike - 1)
      for i = 1, alike do members[count + i], times[count + i] = some[i], time_of end
      count = count + alike
    end
  until alike < ALIKE or count == share
  if count < share then
    local from = count > 0 and '(' .. times[count] or '-inf'
    local some = call('ZRANGE', clock, from, now, 'BYSCORE', 'LIMIT', 0, share - count, 'WITHSCORES')
    for i = 1, #some / 2 do members[count + i], times[count + i] = some[2 * i - 1], some[2 * i] end
    count = count + #some / 2
  end
  return members, times, count
end

-- The kind c.
local function serve_clock(k)
  local members, times, count = due_on(k.clock)
  if count == 0 then return k.clock end
  local ids, lanes, lane, entries = {}, {}, nil, nil
  for i = 1, count do
    local marked = members[i]
    local lane_now, id = LANES[byte(marked)] or 'n', marked
    if lane_now ~= 'n' then id = sub(marked, 2) end
    if lane_now ~= lane then
      lane, lanes[lane_now] = lane_now, lanes[lane_now] or {size = 0, ids = {}}
      entries = lanes[lane]
    end
    entries.size = entries.size + 1
    ids[i], entries.ids[entries.size] = id, id
  end
  local runs, fresh, size, last, run = call('HMGET', k.runs, unpack(ids)), {}, 0, nil, nil
  for i = 1, count do
    if not runs[i] then
      local lane_now, due_time = LANES[byte(members[i])] or 'n', times[i]
      -- many are due at the same time
      if due_time ~= last or lane_now ~= lane then
        last, lane, run = due_time, lane_now, pack_new_run(lane_now, struct.pack('>I6', tonumber(due_time)))
      end
      fresh[size + 1], fresh[size + 2] = ids[i], run
      size = size + 2
    end
  end
  call('ZREMRANGEBYRANK', k.clock, '0', int(count - 1))
  if size > 0 then call('HSET', k.runs, unpack(fresh)) end
  for of, due_now in pairs(lanes) do make_ready(k, of, due_now.ids) end
  moved = moved + count
  return k.clock
end

-- All other kinds of alarms.
local made
local function rare()
  if made then return made end
  local find, serve = {}, {}
  made = {find = find, serve = serve, lay_ghosts = lay_ghosts}

  local function until_now(index, past)
    return call('ZRANGE', index, '-inf', now - (past or 0), 'BYSCORE', 'LIMIT', 0, share)
  end

  -- Counts what became of a job of the topic.
  local function came_to(k, state)
    local of = ends[k.topic] or {delayed = 0, ready = 0, dead = 0, gone = 0}
    ends[k.topic], of[state] = of, of[state] + 1
    return state
  end

  -- For each kind of alarm: what is due, all of it read before the first write; what is done about it; and the index
  -- whose first score, plus the time given, is the next alarm.
  function find.l(k)
    local ids = until_now(k.lease)
    local runs, records = #ids > 0 and call('HMGET', k.runs, unpack(ids)) or {}, {}
    for i, id in ipairs(ids) do
      -- a lease without a run cannot be; if it ever is, it must not stop the others
      runs[i] = runs[i] and unpack_run(runs[i]) or new_run('n', now)
      local over = runs[i].expires > 0 and runs[i].expires <= now
      records[i] = over and runs[i].grouped == 1 and call('HGET', k.jobs, id)
    end
    guard_groups(k, records)
    return {ids = ids, runs = runs, records = records}
  end

  local function leaving(k, ids)
    ids = within(k, ids, BYTES)
    local records = records_of(k, ids)
    guard_groups(k, records)
    return {ids = ids, records = records}
  end

  function find.e(k) return leaving(k, until_now(k.expire)) end

  function find.d(k) return leaving(k, until_now(k.dead, settings_of(k.topic).keepDead or KEEP_DEAD)) end

  function find.o(k) return leaving(k, until_now(k.done, settings_of(k.topic).keepDone or 0)) end

  function serve.l(k, at)
    for i, id in ipairs(at.ids) do
      local run = at.runs[i]
      call('ZREM', k.lease, id)
      run.losses, run.error = 0, 'the lease ended without an answer'
      if came_to(k, run_again(k, id, run, at.records[i], 'lease-ended', nil, '')) ~= 'gone' then
        call('HSET', k.runs, id, pack_run(run))
      end
    end
    moved = moved + #at.ids
    return k.lease
  end

  function serve.e(k, at)
    for i, id in ipairs(at.ids) do
      local record = at.records[i]
      local lane = lane_of(record)
      local state, due_time = state_of(k, id, lane)
      detach(k, id, lane, state)
      local packed = call('HGET', k.runs, id)
      local run = packed and unpack_run(packed) or new_run(lane, due_time or (struct.unpack('>I6', record, 3)))
      if came_to(k, expired(k, id, run, record)) == 'dead' then call('HSET', k.runs, id, pack_run(run)) end
    end
    moved = moved + #at.ids
    return k.expire
  end

  local function sweep(k, index, at, kept)
    if #at.ids > 0 then call('ZREM', index, unpack(at.ids)) end
    forget(k, at.ids, at.records)
    moved = moved + #at.ids
    return index, kept
  end

  function serve.d(k, at) return sweep(k, k.dead, at, settings_of(k.topic).keepDead or KEEP_DEAD) end

  function serve.o(k, at) return sweep(k, k.done, at, settings_of(k.topic).keepDone or 0) end

  -- Turns each ready list once round, a step at a time, and leaves the ghosts out; not under the eyes of one who pages
  -- through them, unless there are very many.
  function serve.g(k)
    if call('SCARD', k.ghosts) < MOST_GHOSTS and call('EXISTS', k.heads) == 1 then return nil, now + PAGING end
    for _, lane in ipairs({'n', 'h', 'l', 'c'}) do
      local ids, live = call('LPOP', k[lane], math.ceil(share / 4)) or {}, {}
      for _, id in ipairs(ids) do
        if call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then live[#live + 1] = id end
      end
      if #live > 0 then call('RPUSH', k[lane], unpack(live)) end
      moved = moved + #ids
    end
    local entries, ghosts = ready_count(k)
    if ghosts > 1000 and ghosts > entries - ghosts then return nil, now end
  end

  return made
end

for i, member in ipairs(alarms) do
  local kind, topic = sub(member, 1, 1), sub(member, 2)
  keys[topic] = keys[topic] or keys_of(topic, 'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done',
    'n', 'h', 'l', 'c', 'ghosts', 'heads')
  if kind ~= 'c' then
    others = true
    found[i] = rare().find[kind] and rare().find[kind](keys[topic])
  end
end
for i, member in ipairs(alarms) do
  local kind, k = sub(member, 1, 1), keys[sub(member, 2)]
  local index, at = (kind == 'c' and serve_clock or rare().serve[kind])(k, found[i])
  if index then
    local first = call('ZRANGE', index, '0', '0', 'WITHSCORES')[2]
    at = first and tonumber(first) + (at or 0)
  end
  -- what is still due goes behind the topics that were not served yet
  if at then call('ZADD', KEYS[1], int(math.max(at, now)), member) else call('ZREM', KEYS[1], member) end
end
if others then rare().lay_ghosts() end
-- whoever called is told the next alarm
armed = false
tell()
local left = call('ZRANGE', KEYS[1], '0', '0', 'WITHSCORES')
local answer = {time[1] * 1000000 + time[2], left[2] and tonumber(left[2]) or -1, moved}
for topic, of in pairs(ends) do
  for _, value in ipairs({topic, of.delayed + of.ready, of.dead, of.gone}) do answer[#answer + 1] = value end
end
return answer
