import { describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../../src/campaigns/check/check-recipients.ts';
import { type SkipReason, skipReasons } from '../../../src/campaigns/check/report.ts';
import { rowOf, xlsxOf } from '../../files/workbooks.ts';
import { checkFile } from './read-file.ts';

interface Case {
  readonly file: string | Uint8Array;
  readonly options?: CheckOptions;
}

const SN = { country: 'SN' };
const GOOD = '+221770000001';

/**
 * For every reason a file whose last row is the only one skipped for it. A new reason without a case does not
 * compile.
 */
const CASES = {
  empty: { file: `to;nom\n${GOOD};Awa\n;Ben` },
  not_a_number: { file: `to\n${GOOD}\nà demander` },
  too_short: { file: `to\n${GOOD}\n+221 77 000` },
  too_long: { file: `to\n${GOOD}\n+221 77 000 00 00 99` },
  // The United Kingdom has numbers of seven, nine and ten digits, and none of eight.
  wrong_length: { file: `to\n${GOOD}\n+44 7777 7777` },
  unknown_country: { file: `to\n${GOOD}\n+999 70 00 00 00` },
  no_country: { file: `to\n${GOOD}\n77 000 00 02` },
  not_in_use: { file: `to\n${GOOD}\n79 900 00 01`, options: SN },
  not_mobile: { file: `to\n${GOOD}\n33 800 00 01`, options: SN },
  several_numbers: { file: `to\n${GOOD}\n77 000 00 02 / 76 000 00 02`, options: SN },
  old_numbering: { file: `to\n${GOOD}\n+225 07 00 00 01` },
  spreadsheet_damage: { file: `to\n${GOOD}\n"2,21771E+11"` },
  duplicate: { file: `to\n${GOOD}\n77 000 00 01`, options: SN },
  already_in_campaign: {
    file: `to\n${GOOD}\n+221770000002`,
    options: { seen: { has: (number) => number === '+221770000002' } },
  },
  opted_out: {
    file: `to\n${GOOD}\n+221770000002`,
    options: { optedOut: async (numbers) => numbers.map((number) => number === '+221770000002') },
  },
  empty_variable: { file: `to;nom\n${GOOD};Awa\n+221770000002;`, options: { text: 'Bonjour {{nom}}' } },
  unsendable_value: {
    file: `{"to":"${GOOD}","nom":"Awa"}\n{"to":"+221770000002","nom":"Awa\\u0000"}`,
    options: { text: 'Bonjour {{nom}}' },
  },
  no_value: { file: `to;nom\n${GOOD};Awa\n+221770000002;NULL`, options: { text: 'Bonjour {{nom}}' } },
  damaged_value: { file: `to;nom\n${GOOD};Awa\n+221770000002;AÃ¯ssatou`, options: { text: 'Bonjour {{nom}}' } },
  empty_text: { file: `to;nom\n${GOOD};Awa\n+221770000002;`, options: { text: '{{nom|}}' } },
  spreadsheet_error: { file: `to;nom\n${GOOD};Awa\n+221770000002;#N/A`, options: { text: 'Bonjour {{nom}}' } },
  hidden_row: {
    file: xlsxOf({ rows: [rowOf(['to']), rowOf([GOOD]), rowOf(['+221770000002'], 'hidden="1"')].join('') }),
  },
  text_too_long: { file: `to;nom\n${GOOD};Awa\n+221770000002;${'x'.repeat(1_600)}`, options: { text: '{{nom}}' } },
  extra_cells: { file: `to;nom\n${GOOD};Awa\n+221770000002;Ba;Ben` },
  unreadable_row: { file: `{"to":"${GOOD}"}\n{"to":["+221770000002"]}` },
} as const satisfies Record<SkipReason, Case>;

describe.each(Object.entries(CASES) as [SkipReason, Case][])('%s', (reason, { file, options }) => {
  it('is why that row is skipped, and no other', async () => {
    const { rows, summary } = await checkFile(file, options);
    expect(rows.map((row) => (row.is === 'recipient' ? row.to : row.reason))).toEqual([GOOD, reason]);
    expect(Object.keys(summary.reasons)).toEqual([reason]);
  });

  it('has one sentence that the author of the file understands', () => {
    const sentence: string = skipReasons[reason];
    expect(sentence).toMatch(/^[A-Z].{10,}\.$/);
    expect(sentence.length).toBeLessThan(140);
    expect(sentence).not.toMatch(/E\.164|NDJSON|UTF|UCS|GSM|regex|null|undefined|parse|invalid|_/i);
  });
});
