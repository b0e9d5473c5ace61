import { expect, test } from 'vitest';
import { measureCheck } from '../../../script/bench-parts/check.ts';

/** `./script/test --deep` checks the million; otherwise as many as show that memory does not follow the file. */
const ROWS = process.env['RELAIS_DEEP'] === '1' ? 1_000_000 : 100_000;

test(`${ROWS} rows are checked in less than 200 MB, and the rate is said`, { timeout: 600_000 }, async () => {
  const rates = await measureCheck({ rows: ROWS, rounds: 1 });
  process.stdout.write(
    `check: ${rates.check} rows/s, csv-parse alone ${rates.csvParse} rows/s (${rates.ratio}), ${rates.peakMb} MB\n`,
  );
  expect(rates.rows).toBe(ROWS);
  expect(rates.peakMb).toBeLessThan(200);
});
