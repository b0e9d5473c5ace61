-- What stands for a record that history alone has: the beginning of its fingerprint, the letter of the state in which
-- it left, and the day until which it is kept. Answers the first two, or nothing.
local function stub_of(stubs, name)
  local stub = redis.call('HGET', stubs, name)
  if not stub then return nil end
  return string.sub(stub, 1, STUB_PRINT), STUB_STATES[string.sub(stub, STUB_PRINT + 1, STUB_PRINT + 1)]
end
