/**
 * Makes a payment, sends a campaign, and reads both final states, with a client made from openapi.json (see README.md).
 * Another address or key than those of `relais dev`: RELAIS_URL, RELAIS_API_KEY.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from './relais.d.ts';

const order = process.argv[2] ?? 'order-1042';
// Lists can be had as CSV too, and many verdicts as lines: this client reads JSON only.
const relais = createClient<paths, 'application/json' | 'application/problem+json'>({
  baseUrl: process.env['RELAIS_URL'] ?? 'http://127.0.0.1:3000',
  headers: { Authorization: `Bearer ${process.env['RELAIS_API_KEY'] ?? 'dev'}` },
});

/** A refusal says what to do about it. */
function taken<T>({ data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (data === undefined) throw new Error(error ? `${error.status} ${error.detail}` : 'no answer');
  return data;
}

const disbursement = taken(
  await relais.POST('/v1/disbursements', {
    body: { reference: order, accountAlias: '771234567', amount: 25_000, withdrawMode: 'wallet-a-senegal' },
  }),
);
process.stdout.write(`${disbursement.id} ${disbursement.state}\n`);

const campaign = taken(
  await relais.POST('/v1/campaigns', {
    body: { reference: `${order}-campaign`, name: 'Salaires', text: 'Bonjour {{prenom}}' },
  }),
);
const params = { path: { id: campaign.id } };
const report = taken(
  await relais.POST('/v1/campaigns/{id}/recipients', {
    params,
    headers: { 'Content-Type': 'text/csv' },
    body: 'to;prenom\n+221771234567;Awa\n+221771234568;Moussa\n',
    bodySerializer: (csv: string) => csv,
  }),
);
process.stdout.write(`${campaign.id} ${report.recipients} recipients\n`);
taken(await relais.POST('/v1/campaigns/{id}/start', { params }));

const waiting = new Set([disbursement.id, campaign.id]);
for (let after = '0-0'; waiting.size > 0; ) {
  const page = taken(await relais.GET('/v1/events', { params: { query: { after, limit: 100 } } }));
  for (const { type, data } of page.events) {
    const last = /\.(succeeded|failed|rejected|cancelled|needs_review|finished)$/.test(type);
    if (last && waiting.delete(data.id)) process.stdout.write(`${data.id} ${type}\n`);
  }
  if (page.next === after) await new Promise((resolve) => setTimeout(resolve, 200));
  after = page.next ?? after;
}
