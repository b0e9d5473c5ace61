/** An SMS with a link, the page behind it, and the steps to opt out. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, ask, type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ SMS_SENDER: 'BOUTIQUE' });
});
afterAll(() => service.stop());

const TEXT = 'Bonjour {{prenom}}, -20% samedi. STOP: {{stop}}';
let made = 0;

interface Sent {
  readonly id: string;
  readonly upload: Answer;
  /** Number → its SMS. */
  readonly texts: ReadonlyMap<string, string>;
}

async function campaign(rows: readonly string[], more: object = {}): Promise<Sent> {
  made += 1;
  const body = { name: `stop ${made}`, text: TEXT, country: 'SN', reference: `stop-${made}`, ...more };
  const { id } = (await service.call('POST', '/v1/campaigns', { body })).body;
  const file = ['to;prenom;stop', ...rows.map((row) => `${row};a column is not the link`)].join('\n');
  const upload = await service.call('POST', `/v1/campaigns/${id}/recipients`, {
    body: file,
    headers: { 'content-type': 'text/csv' },
  });
  expect((await service.call('POST', `/v1/campaigns/${id}/start`)).status).toBe(200);
  // Held: the sandbox sends with another sender ID, which a canary detects.
  await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished' || state === 'held');
  const { messages } = await service.books();
  const texts = new Map<string, string>(messages.map((one: { to: string; text: string }) => [one.to, one.text]));
  return { id, upload, texts };
}

const linkIn = (text = ''): string => /https?:\S+/.exec(text)?.[0] ?? '';
const pageOf = (url: string, headers: Record<string, string> = {}) => ask(url, 'GET', { key: null, headers });
const press = (url: string) => ask(url, 'POST', { key: null });
const optedOut = async (phone: string, from = 'BOUTIQUE') =>
  (await service.call('GET', `/v1/opt-outs?phone=${encodeURIComponent(phone)}&from=${from}`)).body.optedOut;

test('each recipient has their own link, counted in segments; only its button opts out, and only them', async () => {
  const { upload, texts } = await campaign(['+221771000001;Awa', '+221771000002;Moussa']);
  const [awa, moussa] = ['+221771000001', '+221771000002'].map((to) => linkIn(texts.get(to)));
  expect(awa).toMatch(new RegExp(`^${service.webhooks}/s/[0-9A-Za-z]{18}$`));
  expect(moussa).not.toBe(awa);
  expect(texts.get('+221771000001')).toBe(`Bonjour Awa, -20% samedi. STOP: ${awa}`);
  expect(upload.body).toMatchObject({
    stopLink: { characters: awa?.length, assumed: false },
    segments: { total: 2 },
  });

  for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
    const { status } = await ask(awa ?? '', method, { key: null });
    expect([method, status]).toEqual([method, 200]);
  }
  expect(await optedOut('+221771000001')).toBe(false);

  expect((await press(awa ?? '')).status).toBe(200);
  expect([await optedOut('+221771000001'), await optedOut('+221771000002')]).toEqual([true, false]);
  expect(await optedOut('+221771000001', 'ANOTHER')).toBe(false);
  const again = await campaign(['+221771000001;Awa', '+221771000002;Moussa']);
  expect(again.upload.body).toMatchObject({ recipients: 1, reasons: { opted_out: { count: 1 } } });
});

test('after a canary of thousands the last recipient’s link opts out only them', async () => {
  const phone = (nth: number): string => `+22176${3_000_000 + nth}`;
  const rows = Array.from({ length: 1_200 }, (_, nth) => `${phone(nth)};Awa`);
  const { texts } = await campaign(rows, { canary: 1_100 });
  expect((await press(linkIn(texts.get(phone(1_024))))).status).toBe(200);
  // The first recipient of the next block is number 1,100.
  expect(await Promise.all([1_024, 0, 1_100].map((nth) => optedOut(phone(nth))))).toEqual([true, false, false]);
});

test('an opt-out by link is a line of the audit: from which campaign, and no number', async () => {
  const { id, texts } = await campaign(['+221771000005;Awa']);
  const link = linkIn(texts.get('+221771000005'));
  const ofLinks = async () => {
    const { items } = (await service.call('GET', '/v1/audit?limit=50')).body;
    return items.filter(({ source, after }: any) => source === 'link' && after.campaign === id);
  };
  await pageOf(link);
  await press(link);
  await press(link);
  const told = await ofLinks();
  expect(told).toMatchObject([
    { by: 'link', person: null, role: null, act: 'opt-outs.add', target: 'main/BOUTIQUE', after: { added: 1 } },
  ]);
  expect(JSON.stringify(told)).not.toContain('71000005');
  expect((await service.call('GET', '/v1/audit/verification')).body).toMatchObject({ fits: true });
});

test('forged, truncated and foreign links all get the same answer: nothing was stored', async () => {
  const { texts } = await campaign(['+221771000011;Awa']);
  const right = linkIn(texts.get('+221771000011'));
  const last = right.endsWith('0') ? '1' : '0';
  const wrong = [
    `${right.slice(0, -1)}${last}`,
    right.slice(0, -4),
    `${service.webhooks}/s/`,
    `${service.webhooks}/s/%FF%00`,
    `${service.webhooks}/s/${'a'.repeat(5_000)}`,
    `${service.webhooks}/s/000000000000000000`,
  ];
  const same = ({ status, headers: { date: _date, ...headers }, body }: Answer) => ({ status, headers, body });
  const told = same(await pageOf(`${service.webhooks}/s/0`));
  expect(told.status).toBe(404);
  for (const url of wrong) {
    expect(same(await pageOf(url)), url).toEqual(told);
    expect(same(await press(url)), url).toEqual(told);
  }
  expect([(await pageOf(right)).status, (await press(`${right}.`)).status]).toEqual([200, 200]);
  expect(await optedOut('+221771000011')).toBe(true);
});

test('the page speaks French and English, has no script, and may do nothing but post to itself', async () => {
  const url = linkIn((await campaign(['+221771000015;Awa'])).texts.get('+221771000015'));
  const french = await pageOf(url, { 'accept-language': 'fr-SN,fr;q=0.9,en;q=0.8' });
  const english = await pageOf(url, { 'accept-language': 'wo, en-GB;q=0.7, fr;q=0.2' });
  expect(french.body).toContain('<html lang="fr">');
  expect(english.body).toContain('<html lang="en">');
  expect((await pageOf(url)).body).toContain('<html lang="fr">');
  expect((await pageOf(`${url}?lang=en`, { 'accept-language': 'fr' })).body).toContain('<html lang="en">');
  expect(french.body.match(/<button/g)).toHaveLength(1);
  expect(french.body).not.toMatch(/<script|onclick|href="http|src=/i);
  expect(french.headers).toMatchObject({
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    ),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
});

test('the link of an erased recipient confirms nothing', async () => {
  const { texts } = await campaign(['+221771000031;Awa']);
  const url = linkIn(texts.get('+221771000031'));
  expect((await service.call('POST', '/v1/purge', { body: { phone: '+221771000031' } })).status).toBe(200);
  expect((await press(url)).status).toBe(404);
  expect(await optedOut('+221771000031')).toBe(false);
});

test('an opt-out from a campaign with its own sender ID is for that sender ID, and where the text has {stop} it is offered', async () => {
  const { texts } = await campaign(['+221771000041;Awa'], { from: 'PROMO' });
  await press(linkIn(texts.get('+221771000041')));
  expect([await optedOut('+221771000041', 'PROMO'), await optedOut('+221771000041')]).toEqual([true, false]);
  made += 1;
  const body = { name: 'single brace', text: 'Fin {stop}', country: 'SN', reference: `stop-${made}` };
  const { id } = (await service.call('POST', '/v1/campaigns', { body })).body;
  const file = { body: 'to\n+221771000042', headers: { 'content-type': 'text/csv' } };
  const { probablyMeant } = (await service.call('POST', `/v1/campaigns/${id}/recipients?dryRun=true`, file)).body;
  expect(probablyMeant).toEqual([{ reason: 'not_a_variable', written: '{stop}', meant: '{{stop}}' }]);
});
