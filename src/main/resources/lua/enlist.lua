#!lua flags=allow-oom
--[[
  Moves ready jobs of a topic to its Redis list, by priority as reserve does, and ends them as an ack does: gone, or
  done if the topic keeps such. Not on a cluster, where the list may lie on another node.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] bytes  stop when the records are longer than this in all
  ARGV[5] topic
  ARGV[6] most   jobs to move; negative: the caller has its turn, see turn.lua
  Returns {now; 0 if nothing more is there, 1 if more is, 2 if a turn is needed, 3 if the key holds something else than
    a list; how many were found expired and are dead, are gone; then for each job that was moved its due time}
  Atomic: a job is ready, or on the list and settled.
]]
local PLACES = {'h', 'h', 'n', 'h', 'h', 'l', 'h', 'h', 'n', 'h'}
local known = replay()
if known then return known end
local k, room, most = keys_of(ARGV[5]), tonumber(ARGV[4]), tonumber(ARGV[6])
local set, answer, entries, gone, gone_records = settings_of(k.topic), {now, 0, 0, 0}, {}, {}, {}
local list, kept = set.redisList, set.keepDone or 0

local function quoted(text)
  return '"' .. string.gsub(text, '["\\]', '\\%0') .. '"'
end

-- As ListEntry.java writes it.
local function entry(id, run, record)
  if list.payload == 'id' then return id end
  local _, _, _, at, extras = parts_of(record)
  local trace = extras and cjson.decode(extras).p
  return '{"topic":' .. quoted(k.topic) .. ',"id":' .. quoted(id) .. ',"attempt":' .. int(run.attempts)
    .. ',"due":' .. int(run.due) .. (trace and ',"traceparent":' .. quoted(trace) or '')
    .. ',"body":' .. sub(record, at) .. '}'
end

-- Out of its group and without an end of its ttl, for it does not come back.
local function keep_run(id, run, record)
  local group = group_of(k, record)
  if group then call('SREM', group, id) end
  call('ZREM', k.expire, id)
  run.error = ''
  write_log(k, id, run, now, 'acked', 'redisList')
  call('HSET', k.runs, id, pack_run(run))
  call('ZADD', k.done, now, id)
end

local function settle(id, lane, record)
  local packed, expires = call('HGET', k.runs, id), tonumber(call('ZSCORE', k.expire, id) or 0)
  -- one that was ready at once has no run yet and was due when it was pushed
  local run = packed and unpack_run(packed) or new_run(lane, (struct.unpack('>I6', record, 3)))
  if expires > 0 and expires <= now then
    local dead = expired(k, id, run, record) == 'dead'
    local at = dead and 3 or 4
    answer[at] = answer[at] + 1
    if dead then call('HSET', k.runs, id, pack_run(run)) end
    return
  end
  run.attempts, run.started = run.attempts + 1, now
  entries[#entries + 1], answer[#answer + 1] = entry(id, run, record), run.due
  if kept > 0 then keep_run(id, run, record)
  else gone[#gone + 1], gone_records[#gone_records + 1] = id, record end
end

-- Off the lane whose place it is, or off the first that has some; ghosts are dropped.
local function pop(place_no)
  for _, lane in ipairs({PLACES[(time[2] + place_no) % 10 + 1], 'h', 'n', 'l'}) do
    local id = call('LPOP', k[lane])
    if id then
      popped(k, lane, 1)
      return id, lane, call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0
    end
  end
end

local function move(n)
  for place_no = 1, 2 * n do
    if #entries == n or room <= 0 then return end
    local id, lane, live = pop(place_no)
    if not id then return end
    local record = live and call('HGET', k.jobs, id)
    -- an entry without a record cannot be; if it ever is, it must not stop the others
    if record then
      room = room - #record
      settle(id, lane, record)
    end
  end
end

if list and not set.paused then
  local holds_list = call('TYPE', list.key).ok
  if holds_list ~= 'list' and holds_list ~= 'none' then answer[2] = 3
  elseif most > 0 and set.ratePerSecond then answer[2] = 2
  else
    move(math.abs(most))
    forget(k, gone, gone_records)
    if #entries > 0 then
      call('RPUSH', list.key, unpack(entries))
      if kept > 0 then arm('o', k.topic, now + kept) end
    end
    -- the last live one may have stood before ghosts
    if call('EXISTS', k.ghosts) == 1 then bury(k) end
    answer[2] = call('LLEN', k.h) + call('LLEN', k.n) + call('LLEN', k.l) > 0 and 1 or 0
    if answer[2] == 0 then call('SREM', KEYS[4], k.topic) end
    if answer[2] == 0 and call('LLEN', k.c) == 0 then call('SREM', KEYS[4], by_callback(k.topic)) end
  end
end
tell()
return remember(answer)
