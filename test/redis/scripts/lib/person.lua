-- @struct Person
--   @arg name text  @arg age int?
local function greeting(person)
  return person.name .. (person.age and ' ' .. person.age or '')
end
