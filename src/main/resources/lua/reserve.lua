#!lua flags=allow-oom
--[[
  Leases ready jobs to the caller, by priority: of ten places seven to high, two to normal, one to low, free ones to
  whoever has jobs; in one call 250 at most, shared out among the topics. Nothing of a topic that is paused; and of one
  that delivers by callback, as of single jobs that do, only to a caller who asks for such: a topic with \3 before it is
  those of its jobs that go by callback.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] token  random text, new with each call; a job's lease is the token and its place, three digits
  ARGV[5] bytes  stop when the records are longer than this in all; negative: of topics with a Redis list, which
    nobody else gets jobs of but by callback, and of no others
  ARGV[6..] topic (see above), how many (negative: the caller has its turn, see turn.lua); again for each topic
  Returns {now, then for each topic: 1 if more is there, 2 if a turn is needed, else 0; how many; maxAttempts and
    deadline of those that follow the topic's rules; by callback: the topic's settings as stored; and for each job its
    id; what else is to be said; its record; at last, for each topic of which some were found expired: which of the
    topics given, counted from 0, how many of its jobs are dead, are gone}
    What else is to be said is '' of a job that follows the topic's rules, is at its first attempt and was due when it
    was pushed; the run it had before if it was due later; else, packed: attempt (4 bytes), maxAttempts (4), due (6),
    deadline (6). A job's place is its number in the answer; where that is another, it stands before these (2).
  Atomic: a job is leased with its alarm set, or still ready.
]]
local PART, MOST = 50, 250
local known = replay()
if known and known.err then return known end
local token, room, place_no = ARGV[4], math.abs(tonumber(ARGV[5])), 0
local for_lists = tonumber(ARGV[5]) < 0
local answer, size, memory = {now}, 1, {}

local function say(id, what, record)
  answer[size + 1], answer[size + 2], answer[size + 3] = id, what, record
  size = size + 3
end

-- What it takes to reserve of a topic that is not plain (see below), and a job that is not at its first attempt or has
-- rules, a ttl or a group of its own; and to answer again.
local made
local function rare()
  if made then return made end
  local PLACES = {'h', 'h', 'n', 'h', 'h', 'l', 'h', 'h', 'n', 'h'}
  made = {bury = bury}

  local function lease_of(place_at)
    return token .. string.format('%03d', place_at)
  end

  -- The same call again: what it leased and is still leased.
  function made.again()
    for _, was in ipairs(known) do
      local k, head = keys_of(was.topic), size + 2
      answer[size + 1], answer[head], answer[head + 1], answer[head + 2], size = was.more, 0, 0, 0, head + 2
      if was.called then size, answer[size + 1] = size + 1, call('HGET', KEYS[2], k.topic) or '' end
      for i, id in ipairs(was.ids) do
        local packed, place_at = call('HGET', k.runs, id), was.first + i - 1
        if holds(packed, lease_of(place_at)) then
          local run = unpack_run(packed)
          local _, most = rules_of(run, settings_of(k.topic))
          local deadline = tonumber(call('ZSCORE', k.lease, id))
          say(id, struct.pack('>I2I4I4I6I6', place_at, run.attempts, most, run.due, deadline), call('HGET', k.jobs, id))
          answer[head] = answer[head] + 1
        end
      end
    end
    return answer
  end

  -- The lanes that a want is about, the first one being the usual one: 'nhl', 'c' or 'cnhl'.
  local function lanes_of(called, set)
    return not called and 'nhl' or set.callback and 'cnhl' or 'c'
  end

  local function entries(k, lane, mine)
    return string.find(mine, lane, 1, true) and call('LLEN', k[lane]) or 0
  end

  -- Up to n live entries off the ready lists in the order of places, at most 3n looked at. Returns ids, their lanes.
  function made.pop(k, n, want)
    local mine, watched = lanes_of(want.called, want.set), call('EXISTS', k.ghosts, k.heads) > 0
    local haunted_list, ids, lanes, looked = watched and call('EXISTS', k.ghosts) == 1, {}, {}, 0
    if not watched and (mine == 'c' or mine == 'nhl' and call('EXISTS', k.h, k.l) == 0) then
      -- nothing to share out
      local only = sub(mine, 1, 1)
      ids = call('LPOP', k[only], int(n)) or {}
      for i = 1, #ids do lanes[i] = only end
      return ids, lanes
    end
    repeat
      local before = looked
      local left = {h = entries(k, 'h', mine), n = entries(k, 'n', mine), l = entries(k, 'l', mine),
        c = entries(k, 'c', mine)}
      local order, take, taken = {}, {h = 0, n = 0, l = 0, c = 0}, {}
      for i = 1, math.min(n - #ids, left.h + left.n + left.l + left.c) do
        -- jobs with a callback of their own have every other place
        local lane = i % 2 == 0 and left.c > 0 and 'c' or PLACES[(time[2] + i) % 10 + 1]
        if left[lane] == 0 then lane = left.h > 0 and 'h' or left.n > 0 and 'n' or left.l > 0 and 'l' or 'c' end
        left[lane], take[lane] = left[lane] - 1, take[lane] + 1
        order[i] = lane
      end
      for lane, count in pairs(take) do
        if count > 0 then
          taken[lane] = {at = 0, ids = call('LPOP', k[lane], count)}
          if watched then popped(k, lane, count) end
        end
      end
      for _, lane in ipairs(order) do
        local from = taken[lane]
        from.at = from.at + 1
        looked = looked + 1
        local id = from.ids[from.at]
        if not haunted_list or call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then
          ids[#ids + 1], lanes[#lanes + 1] = id, lane
        end
      end
    until #ids >= n or looked == before or looked >= 2 * n
    return ids, lanes
  end

  -- Puts the jobs from the i-th on back to the head of their lists, as they stood.
  function made.put_back(k, ids, lanes, i)
    for back = #ids, i, -1 do
      local lane = lanes and lanes[back] or 'n'
      call('LPUSH', k[lane], ids[back])
      popped(k, lane, -1)
    end
  end

  -- What may be found expired has its group's key read. Returns which these are.
  function made.guard_expiring(k, n)
    local over, guarded = within(k, call('ZRANGE', k.expire, '-inf', now, 'BYSCORE', 'LIMIT', 0, 3 * n), room), {}
    if #over > 0 then guard_groups(k, records_of(k, over)) end
    for _, id in ipairs(over) do guarded[id] = true end
    return guarded
  end

  -- The next attempt of a job with rules, a ttl, a group or a past of its own. Returns its ttr and maxAttempts.
  local function begin(run, record, expires, lease_text, set)
    local flags = byte(record, 2)
    run.rules = ''
    if flags % 16 >= 8 then
      local _, rules = parts_of(record)
      run.rules = rules
    end
    run.grouped, run.expires, run.started = (flags % 64 >= 32 or flags >= 128) and 1 or 0, expires, now
    run.attempts, run.lease = run.attempts + 1, lease_text
    return rules_of(run, set)
  end

  -- Returns when the lease of such a job ends, its run, and what else is to be said; nothing if its ttl is over.
  function made.lease(k, id, record, was, lane, expires, want, over)
    local run, guarded = was and unpack_run(was) or new_run(lane, (struct.unpack('>I6', record, 3))), want.guarded
    if expires > 0 then call('ZREM', k.expire, id) end
    if expires > 0 and expires <= now and guarded[id] then
      local state = expired(k, id, run, record)
      over[state] = over[state] + 1
      if state == 'dead' then call('HSET', k.runs, id, pack_run(run)) end
      return nil
    end
    local ttr, most = begin(run, record, expires, lease_of(place_no), want.set)
    return now + ttr, pack_run(run), struct.pack('>I4I4I6I6', run.attempts, most, run.due, now + ttr)
  end

  return made
end

if known then return rare().again() end

local DIGIT = {[0] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}

-- Leases jobs of a topic; the lease of one that follows the topic's rules ends then.
local function lease(k, n, want, over, usual_deadline)
  if room <= 0 or n <= 0 then return {} end
  local ids, lanes
  if want.plain then ids = call('LPOP', k.n, int(n)) or {} else ids, lanes = rare().pop(k, n, want) end
  local leased, runs, leases, count, soonest, records = {}, {}, {}, 0, nil, nil
  local deadline_text, head = int(usual_deadline), string.char(#token + 3) .. token
  if #ids == 0 then return leased end
  local packed = call('HMGET', k.runs, unpack(ids))
  local ends = not want.plain and call('EXISTS', k.expire) == 1 and call('ZMSCORE', k.expire, unpack(ids))
  local ones, tens, hundreds = place_no % 10, math.floor(place_no / 10) % 10, math.floor(place_no / 100)
  for i = 1, #ids do
    local id = ids[i]
    if room <= 0 then
      rare().put_back(k, ids, lanes, i)
      break
    end
    local at = (i - 1) % PART + 1
    if at == 1 then records = call('HMGET', k.jobs, unpack(ids, i, math.min(i + PART - 1, #ids))) end
    local record = records[at]
    -- an entry without a record cannot be; if it ever is, it must not stop the others
    if record then
      local expires, flags, was = ends and tonumber(ends[i] or 0) or 0, byte(record, 2), packed[i]
      local lane, deadline = lanes and lanes[i] or 'n', usual_deadline
      local due = expires == 0 and (flags == 0 or flags % 16 < 8 and flags % 64 < 32 and flags < 128)
        and due_of_new(was, lane, record)
      if due then
        -- most jobs: one text is made for each
        runs[2 * count + 2] = head .. DIGIT[hundreds] .. DIGIT[tens] .. DIGIT[ones] .. FIRST_RUN[lane] .. due
          .. RUN_BEGUN
        say(id, was or '', record)
        leases[2 * count + 1] = deadline_text
      else
        local run, what
        deadline, run, what = rare().lease(k, id, record, was, lane, expires, want, over)
        if deadline then
          runs[2 * count + 2] = run
          leases[2 * count + 1] = int(deadline)
          say(id, what, record)
        end
      end
      if deadline then
        if not soonest or deadline < soonest then soonest = deadline end
        runs[2 * count + 1], leases[2 * count + 2] = id, id
        count = count + 1
        leased[count], place_no, room = id, place_no + 1, room - #record
        ones = ones + 1
        if ones == 10 then ones, tens = 0, tens + 1 end
        if tens == 10 then tens, hundreds = 0, hundreds + 1 end
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

local wanted, ends = {}, {}
for at = 6, #ARGV, 2 do
  local called = byte(ARGV[at]) == 3
  local k = keys_of(called and sub(ARGV[at], 2) or ARGV[at], 'jobs', 'lease', 'runs', 'log', 'dead', 'n')
  -- most topics are plain: all that is ready is of one lane, nothing expires, and no list has ghosts or is watched
  local plain = call('EXISTS', k.expire, k.h, k.l, k.c, k.ghosts, k.heads) == 0 and not called
  local set, n = settings_of(k.topic), tonumber(ARGV[at + 1])
  local refused = nil
  if set.paused or not called and (set.callback or (set.redisList ~= nil) ~= for_lists) then refused = 0
  elseif n > 0 and (set.maxInFlight and not for_lists or set.ratePerSecond) then refused = 2 end
  wanted[#wanted + 1] = {k = k, n = math.abs(n), set = set, refused = refused, called = called, plain = plain,
    guarded = not plain and not refused and rare().guard_expiring(k, math.abs(n))}
end
for i, want in ipairs(wanted) do
  local over = {dead = 0, gone = 0}
  local k, more, leased, head, first = want.k, want.refused, {}, size + 2, place_no
  -- most topics have little or nothing: what they leave is shared out among the rest
  local share = math.ceil((MOST - place_no) / (#wanted - i + 1))
  local ttr, attempts = want.set.ttr or TTR, want.set.maxAttempts or MAX_ATTEMPTS
  answer[size + 1], answer[head], answer[head + 1], answer[head + 2], size = 0, 0, attempts, now + ttr, head + 2
  if want.called then size, answer[size + 1] = size + 1, call('HGET', KEYS[2], k.topic) or '' end
  if not more then
    leased = lease(k, math.min(want.n, share), want, over, now + ttr)
    local left, own = call('LLEN', k.n), 0
    if not want.plain then
      -- the last live one may have stood before ghosts
      if call('EXISTS', k.ghosts) == 1 then rare().bury(k) end
      left, own = call('LLEN', k.h) + call('LLEN', k.n) + call('LLEN', k.l), call('LLEN', k.c)
    end
    local none_called = own == 0 and (left == 0 or want.called and not want.set.callback)
    if left == 0 then call('SREM', KEYS[4], k.topic, none_called and by_callback(k.topic) or k.topic)
    elseif none_called then call('SREM', KEYS[4], by_callback(k.topic)) end
    if want.called then left = own + (want.set.callback and left or 0) end
    more = left > 0 and 1 or 0
  end
  answer[head - 1], answer[head] = more, #leased
  if over.dead + over.gone > 0 then
    for _, value in ipairs({i - 1, over.dead, over.gone}) do ends[#ends + 1] = value end
  end
  memory[#memory + 1] = {topic = k.topic, more = more, first = first, ids = leased, called = want.called}
end
tell()
remember(memory)
for i, value in ipairs(ends) do answer[size + i] = value end
return answer
