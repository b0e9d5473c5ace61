import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAYER, type Place, Search, places } from './canaries.ts';
import { API_SECRET } from './plan.ts';

const search = () => new Search(['bearer-of-now'], new Set(['771234567', '221771234567']), []);

function leaksIn(place: Place, text: string): string[] {
  const looking = search();
  looking.text(place, text);
  return looking.findings().leaks.map(({ what }) => what);
}

test.for(places)('a secret is found in %s', (place) => {
  expect(leaksIn(place, `{"x":"${API_SECRET}"}`)).toEqual(['an API key']);
  expect(leaksIn(place, `Bearer bearer-of-now`)).toEqual(['a bearer token']);
  expect(leaksIn(place, `code ${PAYER.otp}.`)).toEqual(['a one-time code of a payer']);
  expect(leaksIn(place, 'nothing of the kind')).toEqual([]);
});

test('a telephone number may stand in a record and in an answer, nowhere else', () => {
  const said = '{"to":"+221771234567"}';
  expect(places.filter((place) => leaksIn(place, said).length > 0)).toEqual(['logs', 'metrics', 'events']);
  expect(leaksIn('logs', 'beneficiary 771234567 refused')).toEqual(['a telephone number']);
});

test('what was given to one person alone is found wherever it stands', () => {
  const looking = new Search([], new Set(), [], new Map([['0f'.repeat(32), 'a session']]));
  looking.text('console', `{"cookie":"relais=${'0f'.repeat(32)}"}`);
  expect(looking.findings().leaks).toEqual([{ what: 'a session', place: 'console' }]);
});

test('digits that are part of something longer are no telephone number', () => {
  expect(leaksIn('logs', 'dsb_771234567 1771234567 771234567x')).toEqual([]);
});

test('a secret that lies across two pieces of a file is found', () => {
  const dir = mkdtempSync(join(tmpdir(), 'canaries-'));
  const path = join(dir, 'log');
  writeFileSync(path, `${'.'.repeat((1 << 20) - 5)}${API_SECRET}${'.'.repeat(100)}`);
  const looking = search();
  looking.file('logs', path);
  expect(looking.findings().leaks).toEqual([{ what: 'an API key', place: 'logs' }]);
  rmSync(dir, { recursive: true });
});
