#!lua flags=allow-oom
--[[
  A server says that it lives, or leaves; whoever was not heard of for too long is forgotten. Called in bucket 0, where
  the servers are kept. If they are others than before, says so on the hints' channel. Nothing of this goes to the
  append-only file or to replicas: it is said anew twice a second, and would keep the disk of an idle Redis busy.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] id       of the server; empty: it only asks
  ARGV[4] about    what it tells of itself; empty: it leaves
  ARGV[5] started  when it started, by Redis' clock; 0: now
  ARGV[6] silence  ms after which a server counts as dead
  Returns {now, for each that lives: id, about, when it started, when it was last heard of}
]]
local id, about, started, silence = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local answer, changed, known = {now}, false, false
local function lives(name, text, since, heard)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4] = name, text, since, heard
end
local all = call('HGETALL', servers_key)
redis.set_repl(redis.REPL_NONE)
for i = 1, #all, 2 do
  local heard, since, text = string.match(all[i + 1], '^(%d+) (%d+) (.*)$')
  heard, since = tonumber(heard), tonumber(since)
  if all[i] == id then
    known = true
  elseif math.abs(now - heard) > silence then
    -- also one heard of in the future: the clock was set back, and it will beat again if it lives
    call('HDEL', servers_key, all[i])
    changed = true
  else
    lives(all[i], text, since, heard)
  end
end
if id ~= '' and about == '' then
  call('HDEL', servers_key, id)
  changed = changed or known
elseif id ~= '' then
  if started == 0 then started = now end
  call('HSET', servers_key, id, int(now) .. ' ' .. int(started) .. ' ' .. about)
  call('PEXPIRE', servers_key, int(10 * silence))
  changed = changed or not known
  lives(id, about, started, now)
end
redis.set_repl(redis.REPL_ALL)
if changed then call('PUBLISH', ARGV[1], 's') end
return answer
