--- @include "strictest"
--- @include "whole"
-- Whether a campaign is above what leaves on the word of one key, and how many recipients it has for how many XOF, as
-- estimated. What has no price may cost anything. `asked`: what the process itself asks for of the limits.
local function above_approval(limits, asked, uploads)
  local decoded, known = pcall(cjson.decode, uploads or '[]')
  if not decoded or type(known) ~= 'table' then refuse('uploads') end
  local own, max = {}, {}
  for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
  local shared = redis.call('HMGET', limits, unpack(CAMPAIGN_LIMITS))
  for i, name in ipairs(CAMPAIGN_LIMITS) do
    max[name] = tonumber(strictest(name, own[name], shared[i] or nil) or '') or math.huge
  end
  local recipients, xof, priced = 0, 0, true
  for _, upload in ipairs(known) do
    recipients = recipients + upload.recipients
    if type(upload.cost) == 'table' and #upload.cost.unpriced == 0 then xof = xof + upload.cost.xof
    else priced = false end
  end
  local most = max.CAMPAIGN_APPROVAL_ABOVE_XOF
  local above = recipients > max.CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS or xof > most or (not priced and most < math.huge)
  return above, recipients, priced and xof or nil
end
