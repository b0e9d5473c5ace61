/** A leaked secret is found wherever the storm searches. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAYER, type Place, places, Search } from './canaries.ts';
import { API_SECRET } from './plan.ts';

const search = () => new Search(['bearer-token'], new Set(['771234567', '221771234567']), []);

function leaksIn(place: Place, text: string): string[] {
  const searching = search();
  searching.text(place, text);
  return searching.findings().leaks.map(({ what }) => what);
}

test.for(places)('a secret is found in %s', (place) => {
  expect(leaksIn(place, `{"x":"${API_SECRET}"}`)).toEqual(['an API key']);
  expect(leaksIn(place, 'Bearer bearer-token')).toEqual(['a bearer token']);
  expect(leaksIn(place, `code ${PAYER.otp}.`)).toEqual(['a one-time code of a payer']);
});

test('a phone number is found in logs, metrics and events, as a number of its own', () => {
  const text = '{"to":"+221771234567"}';
  expect(places.filter((place) => leaksIn(place, text).length > 0)).toEqual(['logs', 'metrics', 'events']);
  expect(leaksIn('logs', 'beneficiary 771234567 refused')).toEqual(['a telephone number']);
  expect(leaksIn('logs', 'dsb_771234567 1771234567 771234567x')).toEqual([]);
});

test('a secret between two pieces of a file is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'canaries-'));
  const path = join(folder, 'log');
  writeFileSync(path, `${'.'.repeat((1 << 20) - 5)}${API_SECRET}${'.'.repeat(100)}`);
  const searching = search();
  searching.file('logs', path);
  expect(searching.findings().leaks).toEqual([{ what: 'an API key', place: 'logs' }]);
  rmSync(folder, { recursive: true });
});
