local function base36(n)
  local digits, text = '0123456789abcdefghijklmnopqrstuvwxyz', ''
  n = math.floor(n)
  repeat
    local d = n % 36
    text = string.sub(digits, d + 1, d + 1) .. text
    n = (n - d) / 36
  until n == 0
  return text
end
