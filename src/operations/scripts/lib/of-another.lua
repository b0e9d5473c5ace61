-- Whether the stamp is of another deployment than `ours` (nil has no say), for scripts that must write nothing
-- there. As `differencesOf`; an account that was taken away is looked for where they are compared at length.
local function of_another(stamp, ours)
  local text = ours and redis.call('GET', stamp)
  if not text then return false end
  local stamped, own = cjson.decode(text), cjson.decode(ours)
  if stamped.environment ~= own.environment then return true end
  for _, of in ipairs({'addresses', 'accounts'}) do
    for name, value in pairs(own[of] or {}) do
      if (stamped[of][name] or value) ~= value then return true end
    end
  end
  return false
end
