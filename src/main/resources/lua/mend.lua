#!lua flags=allow-oom
--[[
  Makes the settings of a range of topics what they are in bucket 0, after a change did not reach this bucket.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] from     lower end of the range, as ZRANGE BYLEX takes it
  ARGV[4] to       upper end, likewise
  ARGV[5] version  bucket 0's last one before the first range was read
  ARGV[6] last     1 if this is the last range
  ARGV[7..] topic, settings as stored in bucket 0; for every topic of the range that has some there
  Returns {how many were changed}
]]
local right, changed, number = {}, 0, tonumber(ARGV[5])
for at = 7, #ARGV, 2 do right[ARGV[at]] = ARGV[at + 1] end

local function version_of(text)
  return tonumber(string.match(text or '', '^%d+') or 0)
end

local keys, names = {}, call('ZRANGE', KEYS[3], ARGV[3], ARGV[4], 'BYLEX')
for topic in pairs(right) do keys[topic] = keys_of(topic, 'jobs', 'dead', 'done') end
for _, topic in ipairs(names) do keys[topic] = keys[topic] or keys_of(topic, 'jobs', 'dead', 'done') end
for topic, text in pairs(right) do
  if version_of(call('HGET', KEYS[2], topic)) < version_of(text) then
    create(topic)
    call('HSET', KEYS[2], topic, text)
    obey(keys[topic])
    changed = changed + 1
  end
end
for _, topic in ipairs(names) do
  local version = version_of(call('HGET', KEYS[2], topic))
  -- a later one came while the range was on its way
  if not right[topic] and version > 0 and version <= number then
    local k = keys[topic]
    call('HSET', KEYS[2], topic, '')
    obey(k)
    -- it was deleted, and came back with a change that was on its way
    if call('HLEN', k.jobs) == 0 then
      call('HDEL', KEYS[2], topic)
      call('ZREM', KEYS[3], topic)
      call('SREM', KEYS[4], topic, by_callback(topic))
    end
    changed = changed + 1
  end
end
if ARGV[6] == '1' then call('HSET', KEYS[2], '#rev', number) end
tell()
return {changed}
