-- How a script refuses a record that it cannot read, before it changes anything.
local function refuse(what)
  error(UNREADABLE .. ' ' .. what, 0)
end
-- Asked for before the first write: a script that fails half way would leave a state without its count and event.
local function whole(value, absent, what)
  if not value then
    if absent then return absent end
    refuse(what)
  end
  if #value > 16 or not string.find(value, '^%-?%d+$') then refuse(what) end
  return tonumber(value)
end
