-- Answers what it was given, so that a test can see every type of an argument and of an answer on its way.
-- @key record
-- @key other?
-- @keys lists
-- @arg said text?  @arg wait ms?  @arg sure flag
-- @arg person Person  as the library has it
-- @arg mood glad|sad
-- @arg numbers int[]
-- @arg fields pairs
-- @each rows
--   @key row
--   @key twin?
--   @arg id text
--   @arg marks text[]
-- @type Row row {row, twin?, id, marks text[]} | lone
-- @returns echo {keys text[], said?, wait number?, sure flag, greeting, mood, sum int, fields hash, rows Row[]}
--   | silent
--- @include "lib/person"

if said == 'nothing' then return {'silent'} end
local sum = 0
for _, one in ipairs(numbers) do sum = sum + one end
local keys, told = {record, other or '-'}, {}
for _, key in ipairs(lists) do keys[#keys + 1] = key end
for i, one in ipairs(rows) do
  told[i] = one.twin == nil and #one.marks == 0 and {'lone'} or {'row', one.row, one.twin or false, one.id, one.marks}
end
return {'echo', keys, said or false, wait or false, sure and 1 or 0, greeting(person), mood, sum, fields, told}
