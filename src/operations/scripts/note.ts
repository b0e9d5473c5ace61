import { defineScript } from './script.ts';

/**
 * Adds a line of evidence, whoever has the lease. Never creates a record.
 *
 * KEYS record · ARGV now, evidence · → 1 (kept) | 0 (no such record)
 */
export const noteScript = defineScript(
  'note',
  `
if redis.call('HEXISTS', KEYS[1], 'state') == 0 then return 0 end
add_evidence(KEYS[1], clock(ARGV[1]), ARGV[2])
return 1
`,
);
