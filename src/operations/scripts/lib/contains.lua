local function contains(list, one)
  for _, other in ipairs(list) do
    if other == one then return true end
  end
  return false
end
