#!lua flags=allow-oom
--[[
  The first entries of the list that others put jobs on; they stay there. One that is longer than any job may be goes to
  the list of bad ones. Not on a cluster.
  KEYS[1..4] as in prelude.lua
  ARGV[1..2] as in prelude.lua
  ARGV[3] list     its key
  ARGV[4] bad      key of the list of bad ones
  ARGV[5] kept     most entries of that
  ARGV[6] most     entries to look at
  ARGV[7] bytes    stop when they are longer than this in all
  ARGV[8] longest  bytes of a job
  Returns {1, or 0 if one of the keys holds something else than a list; then the entries}
]]
for key = 3, 4 do
  local kind = call('TYPE', ARGV[key]).ok
  if kind ~= 'list' and kind ~= 'none' then return {0} end
end
local list, bad, longest, room = ARGV[3], ARGV[4], tonumber(ARGV[8]), tonumber(ARGV[7])
local answer = {1}
for _ = 1, tonumber(ARGV[6]) do
  local text = room > 0 and call('LINDEX', list, #answer - 1)
  if not text then break end
  if #text > longest then
    call('LREM', list, 1, text)
    call('RPUSH', bad, string.format('{"job":%s,"reason":"expected at most %d bytes, found %d; this is its beginning"}',
      cjson.encode(cut(text, 1000)), longest, #text))
    call('LTRIM', bad, '-' .. ARGV[5], -1)
  else
    answer[#answer + 1] = text
  end
  room = room - #text
end
return answer
