/** The daily report through every entry point: it equals the simulator's records to the franc. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { relais } from '../cli/terminal.ts';
import { type Service, startService } from '../support/service.ts';

const DISBURSEMENTS = 60;
const TEXTS = 12;

let service: Service;

beforeAll(async () => {
  // Immediate payments are requested only once: a merely late answer would require a review.
  service = await startService({ DIRECT_CREDIT: 'on', MAX_PER_BENEFICIARY_DAY: 'off', UPSTREAM_TIMEOUT: '5s' });
});
afterAll(() => service.stop());

const report = async (search = '', headers = {}) =>
  service.call('GET', `/v1/reports/daily${search}`, { headers, key: 'maker-secret' });

interface Sum {
  readonly count: number;
  readonly xof: number;
}
type Row = Readonly<Record<string, Sum>> & { readonly account: string; readonly country: string | null };

function closes(row: Row): void {
  for (const of of ['count', 'xof'] as const) {
    const at = (name: string): number => row[name]?.[of] ?? Number.NaN;
    const ended = at('succeeded') + at('failed') + at('rejected') + at('cancelled');
    expect(at('opening') + at('accepted') - ended, JSON.stringify(row)).toBe(at('closing'));
  }
}

const sumOf = (rows: readonly Row[], name: string, of: 'count' | 'xof'): number =>
  rows.reduce((sum, row) => sum + (row[name]?.[of] ?? 0), 0);

test('a day of many kinds under faults closes to the franc against the provider’s records', async () => {
  for (const fault of ['hangs after doing the work', 'resets the connection after doing the work']) {
    await service.control('POST', '/faults', { fault, operation: 'disbursement.submit', count: 4 });
  }
  await service.control('POST', '/faults', {
    fault: 'resets the connection before doing the work',
    operation: 'disbursement.create',
    count: 4,
  });
  const modes = ['wallet-a-senegal', 'wallet-b-senegal', 'wallet-a-ci'];
  const asked = Array.from({ length: DISBURSEMENTS }, (_, index) => ({
    accountAlias: `77${1_000_000 + index}`.padEnd(index % 3 === 2 ? 10 : 9, '0'),
    amount: 500 + index,
    withdrawMode: modes[index % 3],
    reference: `day-${index}`,
  }));
  const ids = await Promise.all(
    asked.map(async (body) => {
      const { status, body: made } = await service.call('POST', '/v1/disbursements', { body });
      expect([status, JSON.stringify(made)][0], JSON.stringify(made)).toBe(202);
      return String(made.id);
    }),
  );
  const later = { ...asked[0], reference: 'later', notBefore: '2999-01-01T00:00:00Z', allowDuplicate: true };
  await service.call('POST', '/v1/disbursements', { body: later });
  const off = { ...later, reference: 'off', amount: 777 };
  const { body: called } = await service.call('POST', '/v1/disbursements', { body: off });
  await service.call('POST', `/v1/disbursements/${called.id}/cancel`);
  const credit = { accountAlias: 'shop-account', amount: 4_000, reference: 'credit' };
  const { body: credited } = await service.call('POST', '/v1/direct-credits', { body: credit });
  const texts = Array.from({ length: TEXTS }, (_, n) => ({ to: `+22177${2_000_000 + n}`, text: `Bonjour ${n}` }));
  const { body: told } = await service.call('POST', '/v1/messages', { body: texts });
  for (const id of ids) {
    await service.until(`/v1/disbursements/${id}`, ({ state }) =>
      ['succeeded', 'failed', 'rejected'].includes(state),
    );
  }
  await service.until(`/v1/direct-credits/${credited.id}`, ({ state }) => state === 'succeeded');
  for (const { id } of told.items) await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');

  const { xofPaid } = await service.books('summary');
  // The publisher adds events to the daily totals a moment later.
  await vi.waitFor(async () => {
    const { body } = await report();
    const rows: readonly Row[] = body.rows;
    rows.forEach(closes);
    expect(sumOf(rows, 'succeeded', 'xof')).toBe(xofPaid);
    expect(sumOf(rows, 'accepted', 'count')).toBe(DISBURSEMENTS + 2);
    expect(sumOf(rows, 'closing', 'xof')).toBe(500);
    expect(sumOf(rows, 'cancelled', 'xof')).toBe(777);
    expect(sumOf(rows, 'credited', 'xof')).toBe(4_000);
    expect(sumOf(rows, 'inDoubt', 'count')).toBe(0);
    expect(rows.find(({ country }) => country === 'SN')).toMatchObject({
      account: 'main',
      texts: { sent: TEXTS },
      segments: { sent: TEXTS },
      costEstimated: null,
    });
    expect(rows.map(({ country }) => country)).toEqual([null, 'CI', 'SN']);
  });
});

test('it is JSON, CSV, or a page to print', async () => {
  const csv = await report('', { accept: 'text/csv' });
  expect(String(csv.body).split('\r\n')[0]).toMatch(/^\ufeff?date;account;country;openingCount;openingXof;accepted/);
  const page = await report('', { accept: 'text/html' });
  expect(String(page.body)).toContain('<h1>Report of ');
  const french = await report('', { accept: 'text/html', 'accept-language': 'fr-CI' });
  expect(french.headers['content-language']).toBe('fr');
  expect(String(french.body)).toMatch(/<html lang="fr">.*<h1>Journée du \d\d\/\d\d\/\d{4}</s);
  expect(String(french.body)).not.toMatch(/\b(the|Texts|Accepted|Count|XOF)\b/);
});

test('a key sees the accounts that it may use, and a day that is not over is not closed', async () => {
  const { body } = await service.call('GET', '/v1/reports/daily', { key: 'stranger-secret' });
  expect(body).toMatchObject({ closed: false, rows: [] });
  expect((await report('?account=nobody')).status).toBe(422);
});

test('a day that is invalid, in the future, or no longer stored is refused', async () => {
  for (const date of ['today', '2026-02-30', '2999-01-01', '2001-01-01']) {
    const { status, body } = await report(`?date=${date}`);
    expect([status, body.problems?.[0]?.pointer], date).toEqual([422, '/date']);
  }
});

test('in a shell: a table, CSV, or a page', async () => {
  const env = { RELAIS_URL: service.api, RELAIS_API_KEY: 'maker-secret' };
  const shown = await relais(['report', 'daily'], { env });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/main SN\nwhat +count +xof\n.*accepted +\d+ /s);
  expect((await relais(['report', 'daily', '--csv'], { env })).stdout).toContain('date;account;country;openingCount');
  expect((await relais(['report', 'daily', '--page'], { env })).stdout).toContain('<h1>Report of ');
  expect((await relais(['--lang', 'fr', 'report', 'daily', '--page'], { env })).stdout).toContain('<h1>Journée du ');
  expect((await relais(['report', 'daily', '--date', '2999-01-01'], { env })).code).toBe(1);
});

test('times carry the offset of the zone in CSV, and are UTC in JSON', async () => {
  const csv = await service.call('GET', '/v1/disbursements?limit=1', { headers: { accept: 'text/csv' } });
  expect(String(csv.body)).toMatch(/;\d{4}-\d\d-\d\dT[\d:.]+\+00:00;;;\r\n$/);
  const { body } = await service.call('GET', '/v1/disbursements?limit=1');
  expect(body.items[0].updatedAt).toMatch(/Z$/);
});
