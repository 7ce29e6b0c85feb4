#!lua flags=allow-oom
--[[
  Cancels the delayed, ready and reserved jobs of a group, a step at a time; its dead ones stay.
  KEYS[1..5] as in prelude.lua
  ARGV[1..3] as in prelude.lua
  ARGV[4] topic
  ARGV[5] group
  ARGV[6] limit   about how many
  ARGV[7] cursor  of the step before, 0 to begin
  Returns {how many; cursor of the next step, 0 if there is none; how many bytes of records were read}
  Atomic: a job is there or gone whole.
]]
local known = replay()
if known then return known end
local k = keys_of(ARGV[4], 'jobs', 'clock', 'lease', 'runs', 'log', 'expire', 'dead', 'done',
  'n', 'h', 'l', 'c', 'ghosts')
local page = call('SSCAN', group_key(k.topic, ARGV[5]), ARGV[7], 'COUNT', tonumber(ARGV[6]))
local records, bytes = records_of(k, page[2]), 0
for i = 1, #records do bytes = bytes + #(records[i] or '') end
local count = cancel(k, page[2], records, {delayed = true, ready = true, reserved = true})
lay_ghosts()
tell()
return remember({count, page[1], bytes})
