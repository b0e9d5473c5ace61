-- Why something that was tried with `pcall` broke off: what Redis refuses is a table, what a script raises may be a text.
local function why_of(failure) return type(failure) == 'table' and failure.err or failure end
