import { defineScript } from './script.ts';

/**
 * Adds a line of evidence, whoever has the lease. Never creates a record.
 *
 * KEYS record · ARGV now, evidence · → 1 (kept) | 0 (no such record)
 */
export const noteScript = defineScript(
  'note',
  `
local r = redis.call('HMGET', KEYS[1], 'state', 'v', 'en')
if not r[1] or r[2] ~= VERSION then return 0 end
whole(r[3], 0, 'en')
add_evidence(KEYS[1], clock(ARGV[1]), ARGV[2])
return 1
`,
);
