--- @include "whole"
local function same_version(v)
  if v ~= VERSION then refuse('version') end
end
