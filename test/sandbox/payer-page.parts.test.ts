/** Pages of the provider's front end, and requests of other clients. */
import { expect, test } from 'vitest';
import { confirmed, sandboxForTest } from './sandbox-client.ts';

/** Literally as an npm package for this provider writes it. */
const OF_PACKAGE = {
  invoice: {
    total_amount: 5_000,
    description: 'Riz & <b>huile</b>',
    items: { item_1: { name: 'Riz', quantity: 2, unit_price: 2_500, total_price: 5_000 } },
    taxes: { tax_1: { name: 'TVA', amount: 0 } },
    channels: ['card'],
  },
  store: {
    name: 'Chez Sandra',
    phone_number: '336530583',
    postal_address: 'Dakar Plateau',
    return_url: 'https://shop.example/thanks?order=7',
    cancel_url: 'https://shop.example/cart',
    callback_url: 'not an address',
  },
  actions: { return_url: 'https://shop.example/thanks?order=7', cancel_url: 'https://shop.example/cart' },
};
const MINIMAL = { invoice: { total_amount: 200 }, store: { name: 'Chez Sandra' } };
const CREATE = '/api/v1/checkout-invoice/create';

test('an invalid request is refused with a breach, or recorded and accepted if lenient', async () => {
  const strict = await sandboxForTest();
  expect((await strict.pay(CREATE, OF_PACKAGE)).body).toMatchObject({ response_code: '1001' });
  expect((await strict.books()).breaches).toHaveLength(1);
  expect((await strict.books()).invoices).toEqual([]);

  const lenient = await sandboxForTest({ settings: { strictness: 'lenient' } });
  const { body } = await lenient.pay(CREATE, OF_PACKAGE);
  expect(body.response_code).toBe('00');
  const breaches = (await lenient.books()).breaches.map(({ what }: { what: string }) => what);
  expect(breaches.join('\n')).toMatch(/items\.item_1\.unit_price/);
  expect(breaches.join('\n')).toMatch(/store: .*phone_number/);
  expect(await confirmed(lenient, body.token)).toMatchObject({
    invoice: { total_amount: 5_000, items: { item_1: { quantity: 2, unit_price: '2500' } } },
  });
});

test('lenient has limits: a missing required field is refused', async () => {
  const sandbox = await sandboxForTest({ settings: { strictness: 'lenient' } });
  for (const body of [{ ...OF_PACKAGE, store: {} }, { ...MINIMAL, invoice: { total_amount: -5 } }, 'text', [], null])
    expect((await sandbox.pay(CREATE, body)).body).toMatchObject({ response_code: '1001' });
  expect((await sandbox.books()).invoices).toEqual([]);
});

async function invoicePage(body: object = OF_PACKAGE) {
  const sandbox = await sandboxForTest({ settings: { strictness: 'lenient' } });
  const made = (await sandbox.pay(CREATE, body)).body as { token: string; response_text: string };
  const press = (decision: string) =>
    fetch(made.response_text, { method: 'POST', body: new URLSearchParams({ decision }), redirect: 'manual' });
  return { sandbox, ...made, press, look: (headers = {}) => fetch(made.response_text, { headers }) };
}

test('the page shows the payment, in two languages, and executes no content of the merchant', async () => {
  const { look } = await invoicePage();
  const shown = await look({ 'accept-language': 'fr-CI' });
  const page = await shown.text();
  expect(page).toContain('<html lang="fr">');
  expect(page).toContain('Riz &amp; &lt;b&gt;huile&lt;/b&gt;');
  expect(page).toContain('Payer 5\u202f000\u00a0F\u00a0CFA');
  expect(page.match(/<button/g)).toHaveLength(3);
  expect(page).not.toMatch(/<script|<b>/);
  expect(shown.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(await (await look()).text()).toContain('Pay 5\u00a0000\u00a0XOF');
});

test.for([
  ['completed', 'https://shop.example/thanks?order=7&token='],
  ['cancelled', 'https://shop.example/cart'],
] as const)('%s leads to where the merchant wants the payer, paid with the token', async ([decision, leadsTo]) => {
  const { press, sandbox, token } = await invoicePage();
  const answer = await press(decision);
  const expected = decision === 'completed' ? leadsTo + token : leadsTo;
  expect([answer.status, answer.headers.get('location')]).toEqual([303, expected]);
  expect(await confirmed(sandbox, token)).toMatchObject({ status: decision });
});

test('a payer that cancels a paid invoice in an old tab is redirected like a payer', async () => {
  const { press, sandbox, token } = await invoicePage();
  await press('completed');
  expect((await press('cancelled')).headers.get('location')).toBe(
    `https://shop.example/thanks?order=7&token=${token}`,
  );
  expect(await confirmed(sandbox, token)).toMatchObject({ status: 'completed' });
});

test('a failure stays on the page, and can be paid after all; then there is a receipt, and nothing to press', async () => {
  const { press, look, sandbox, token, response_text } = await invoicePage(MINIMAL);
  const receipt = `${sandbox.base}/checkout/receipt/pdf/${token}.pdf`;
  expect((await press('failed')).headers.get('location')).toBe(response_text);
  expect(await confirmed(sandbox, token)).toMatchObject({ status: 'failed' });
  expect((await fetch(receipt)).status).toBe(404);
  await press('completed');
  const { receipt_url } = await confirmed(sandbox, token);
  expect(receipt_url).toBe(receipt);
  const file = await fetch(receipt);
  expect(file.headers.get('content-type')).toBe('application/pdf');
  expect(await file.text()).toMatch(/^%PDF-1\.4\n[^]*\(200 XOF\) Tj[^]*%%EOF\n$/);
  expect(await (await look()).text()).not.toContain('<button');
  await press('cancelled');
  expect(await confirmed(sandbox, token)).toMatchObject({ status: 'completed' });
});

test.for(['pay', '3ds', 'checkout/return'])('/%s/…, which softpay names, is the page of the invoice', async (way) => {
  const { sandbox, token, response_text } = await invoicePage(MINIMAL);
  const there = `${sandbox.base}/${way}/${token}?in=wallet`;
  expect(await (await fetch(there)).text()).toContain('Chez Sandra');
  const body = new URLSearchParams({ decision: 'completed' });
  const answer = await fetch(there, { method: 'POST', body, redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, response_text]);
  expect(await confirmed(sandbox, token)).toMatchObject({ status: 'completed' });
  expect((await sandbox.books()).breaches).toEqual([]);
});

test('a payment request has its page, on which the customer pays once and cannot cancel', async () => {
  const sandbox = await sandboxForTest();
  const asked = { amount: 5_000, recipient_phone: '771234567', support_fees: 0, send_notification: 0 };
  const { body } = await sandbox.pay('/api/v1/dmp-api', asked);
  const { url, reference_number } = body as { url: string; reference_number: string };
  const status = async () =>
    (await sandbox.pay('/api/v1/dmp-api/check-status', { reference_number })).body.status as string;
  const press = (decision: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ decision }), redirect: 'manual' });
  const page = await (await fetch(url, { headers: { 'accept-language': 'fr' } })).text();
  expect(page).toContain('Payer 5\u202f000\u00a0F\u00a0CFA');
  expect(page.match(/<button/g)).toHaveLength(2);
  await press('cancelled');
  expect(await status()).toBe('pending');
  expect((await press('failed')).headers.get('location')).toBe(url);
  expect(await status()).toBe('failed');
  await press('completed');
  expect(await (await fetch(url)).text()).not.toContain('<button');
  await press('failed');
  expect(await status()).toBe('completed');
  expect((await sandbox.books()).breaches).toEqual([]);
});

test('a page of nothing that could be paid is 404, and no breach', async () => {
  const sandbox = await sandboxForTest();
  for (const path of ['checkout/invoice/nobody', 'checkout/receipt/pdf/nobody.pdf', 'payment-request/NOBODY'])
    expect((await fetch(`${sandbox.base}/${path}`)).status).toBe(404);
  expect((await sandbox.books()).breaches).toEqual([]);
});

test('the names of the headers are those that the setting gives', async () => {
  const sandbox = await sandboxForTest({ headerPrefix: 'PAY' });
  const keys = {
    'pay-master-key': 'sandbox-master',
    'pay-private-key': 'sandbox-private',
    'pay-token': 'sandbox-token',
  };
  const ask = (headers: Record<string, string>) =>
    fetch(sandbox.base + CREATE, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(MINIMAL),
    }).then((answer) => answer.json());
  expect(await ask(keys)).toMatchObject({ response_code: '00' });
  expect(await sandbox.pay(CREATE, MINIMAL)).toMatchObject({ body: { response_code: '401' } });
});
