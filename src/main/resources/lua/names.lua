#!lua flags=no-writes,allow-oom
--[[
  A page of the bucket's topics in the order of their names.
  KEYS[3] names  as in prelude.lua
  ARGV[3] from   lower end of the range, as ZRANGE BYLEX takes it
  ARGV[4] to     upper end, likewise
  ARGV[5] limit  most names
  Returns {topic, ...}
]]
return call('ZRANGE', KEYS[3], ARGV[3], ARGV[4], 'BYLEX', 'LIMIT', 0, tonumber(ARGV[5]))
