/** Paying and collecting from the console, in a real browser, against real processes. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { xlsxOfTexts } from '../files/workbooks.ts';
import { type ConsoleWorld, leave, openConsole } from '../support/console-world.ts';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsole();
});
afterAll(() => world?.close());

interface Listed {
  readonly items: readonly { readonly id: string; readonly state: string; readonly payeeName?: string }[];
}

const paymentsTo = async (phone: string): Promise<Listed['items']> =>
  (await world.api.get<Listed>(`/v1/disbursements?phone=${encodeURIComponent(phone)}`)).items;

async function fillIn(page: Page, phone: string, amount: string): Promise<void> {
  await page.getByLabel('Wallet', { exact: true }).selectOption('wallet-a-senegal');
  await page.getByLabel('Phone number').fill(phone);
  await page.getByLabel('Amount (XOF)').fill(amount);
}

test('one person is paid by a form: every problem beside its field, a last look, and once however often it is pressed', async () => {
  const page = await world.signedIn('moussa');
  await page.getByRole('link', { name: 'New payment', exact: true }).click();
  await page.getByLabel('Amount (XOF)').fill('12,50');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-end=refused]').waitFor();
  // The wallet, the number and the amount, all at once; each problem is shown beside its field.
  expect(await page.locator('[data-wrong]').count()).toBe(3);
  expect(await page.locator('[aria-invalid=true]').count()).toBe(3);

  await fillIn(page, '+221 77 555 01 02', '25000');
  await page.getByLabel('Name of the person (optional)').fill('Awa Diop');
  await page.getByLabel('SMS to the payee when paid (optional)').fill('Bonjour {{nom}}');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-wrong]').waitFor();
  await page.getByLabel('SMS to the payee when paid (optional)').fill('Bonjour {{payeeName}}, {{amount}} F');
  expect(await page.getByLabel('Amount (XOF)').inputValue()).toBe('25,000');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-follows=queued]').waitFor();
  expect(await page.locator('#content').innerText()).toMatch(
    /25,000 XOF[\s\S]*Awa Diop · \+221775550102[\s\S]*Senegal/,
  );
  const form = page.url();
  await page.locator('[data-act=send]').dblclick();
  await page.locator('[data-operation]').waitFor();
  const paid = await paymentsTo('+221775550102');
  expect(paid.map(({ payeeName }) => payeeName)).toEqual(['Awa Diop']);
  expect(page.url()).toContain(`/o/${paid[0]?.id}`);
  await vi.waitFor(
    async () => {
      const { notify } = await world.api.get<{ notify: { messages: { on: string; state: string }[] } }>(
        `/v1/disbursements/${paid[0]?.id}`,
      );
      expect(notify.messages).toMatchObject([{ on: 'succeeded', state: 'sent' }]);
    },
    { timeout: 60_000, interval: 200 },
  );

  // The form as a reload, a bookmark or a second tab has it: it asks for nothing a second time.
  await page.goto(form);
  await fillIn(page, '77 555 01 02', '30 000');
  await page.locator('[data-act=check]').click();
  await page.locator(`[data-already="${paid[0]?.id}"]`).waitFor();
  await page.getByRole('link', { name: 'New form' }).click();
  await page.getByLabel('Phone number').waitFor();
  expect(page.url()).not.toBe(form);
  expect(await paymentsTo('+221775550102')).toHaveLength(1);
  await leave(page);
});

test('a payment above the limit waits for another person, on a day that was chosen', async () => {
  const page = await world.signedIn('moussa', '/pay', { language: 'en' });
  await fillIn(page, '77 555 01 03', '250 000');
  await page.getByLabel('Not before (optional)').fill('2031-01-05T08:00');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-follows=awaiting_approval]').waitFor();
  await page.getByRole('button', { name: 'Submit 250,000 XOF for approval' }).click();
  await page.locator('[data-operation=awaiting_approval]').waitFor();
  expect(await page.locator('#content').innerText()).toMatch(/5 Jan 2031, 08:00/);
  await page.locator('[data-waiting="1"]').first().waitFor();
  await leave(page);
});

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const SALARIES = xlsxOfTexts([
  ['Société Teranga SARL'],
  ['Salaires du mois de novembre 2026'],
  ['Matricule', 'Nom', 'Téléphone', 'Opérateur', 'Net à payer'],
  ['T-001', 'Awa Diop', '77 512 04 08', 'Orange Money', '346 500'],
  ['T-002', 'Moussa Fall', '76 513 08 85', 'Orange Money', '262.000'],
  ['T-003', 'Fatou Sarr', '70 514 13 62', 'Wave', '180500'],
  ['', 'TOTAL', '', '', '789 000'],
]);

test('un fichier de salaires est compris, soumis sur un téléphone, et payé après une autre approbation', async () => {
  const page = await world.signedIn('awa', '/pay/file', { language: 'fr', width: 390 });
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'Salaires Novembre.xlsx', mimeType: XLSX, buffer: SALARIES });
  await page.locator('[data-column=amount]').waitFor();
  expect(await page.locator('[data-column=amount]').inputValue()).toBe('Net à payer');
  await page.getByLabel('Orange Money (2 lignes)').selectOption('wallet-a-senegal');
  // An amount with a point is a question, and only a person answers it.
  await page.locator('[data-question=thousands]').waitFor();
  await page.getByLabel('Wave (1 ligne)').selectOption('wallet-d-senegal');
  await page.locator('[data-decide=thousands]').click();
  await page.locator('[data-refused="1"]').waitFor();
  await page.locator('[data-decide=leaveOut]').click();
  await page.locator('[data-checked=awaiting_approval]').waitFor();
  expect(await page.locator('[data-checked]').innerText()).toMatch(/789\s000 F CFA[\s\S]*3 paiements/);
  const sms = page.getByLabel('SMS au bénéficiaire quand il est payé (facultatif)');
  await sms.fill('Bonjour {{Nom}}, {{amount}} F');
  await sms.blur();
  await page.locator('[data-act=send]:enabled').dblclick();
  await page.locator('[data-operation=awaiting_approval]').waitFor();
  const [, id = ''] = /\/o\/(bat_\w+)/.exec(page.url()) ?? [];
  await leave(page);

  const checker = await world.signedIn('fatou', `/approvals/${id}`, { language: 'fr' });
  await checker.getByText('Salaires Novembre.xlsx').first().waitFor();
  await checker.getByText('Moussa Fall').waitFor();
  await checker.getByText('Bonjour {{Nom}}, {{amount}} F').waitFor();
  await checker.locator('#content form input').last().fill('789000');
  await checker.getByRole('button', { name: /Approuver/ }).click();
  await checker.locator('[data-decided]').waitFor();
  await leave(checker);
  const isPaid = async (): Promise<void> => {
    const { items } = await world.api.get<{ items: { reference: string; amount: number; state: string }[] }>(
      `/v1/disbursement-batches/${id}/report`,
    );
    expect(
      items.map(({ reference, amount, state }) => [reference.split('-').slice(-2).join('-'), amount, state]),
    ).toEqual([
      ['T-001', 346_500, 'succeeded'],
      ['T-002', 262_000, 'succeeded'],
      ['T-003', 180_500, 'succeeded'],
    ]);
  };
  await vi.waitFor(isPaid, { timeout: 60_000, interval: 200 });
});

test('an invoice is made by a form, and its link leaves by one SMS however often that is asked', async () => {
  const page = await world.signedIn('moussa', '/collect');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-end=refused]').waitFor();
  expect(await page.locator('[data-wrong]').count()).toBe(2);
  await page.getByLabel('Amount (XOF)').fill('15 000');
  await page.getByLabel('Name of your shop or organisation').fill('Librairie du Plateau');
  await page.locator('[data-act=check]').click();
  await page.getByRole('button', { name: 'Create the link for 15,000 XOF' }).dblclick();
  await page.locator('[data-link]').waitFor();
  const link = await page.locator('[data-link]').innerText();
  await page.locator('[data-act=sendLink]').click();
  await page.locator('dialog input').fill('+221 77 555 01 09');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('[data-link-sent]').waitFor();
  const sent = await world.api.get<Listed>('/v1/messages?phone=%2B221775550109');
  expect(sent.items).toHaveLength(1);
  expect(link).toMatch(/^http/);
  await page.reload();
  await page.locator('[data-link-sent]').waitFor();
  expect(await page.locator('[data-act=sendLink]').count()).toBe(0);

  await page.goto(`${world.url}/collect/request`);
  await page.getByLabel('Amount (XOF)').fill('100');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-wrong]').first().waitFor();
  await page.getByLabel('Amount (XOF)').fill('5000');
  await page.getByLabel('Phone number of the payer').fill('+221775550109');
  await page.locator('[data-act=check]').click();
  await page.locator('[data-act=send]').click();
  await page.locator('[data-link]').waitFor();
  await leave(page);
});

test('a statement is compared, and what is left over on either side can be taken away as a file', async () => {
  const body = {
    accountAlias: '775550188',
    amount: 41_000,
    withdrawMode: 'wallet-a-senegal',
    reference: 'statement-1',
  };
  const { id } = await world.api.post<{ id: string }>('/v1/disbursements', body);
  const paid = await vi.waitFor(
    async () => {
      const now = await world.api.get<{ state: string; transactionId: string; updatedAt: string }>(
        `/v1/disbursements/${id}`,
      );
      expect(now.state).toBe('succeeded');
      return now;
    },
    { timeout: 60_000, interval: 200 },
  );
  const day = paid.updatedAt.slice(0, 10);
  const statement = `Jour;Référence;Montant\n${day};${paid.transactionId};41 000 F\n${day};TX-NOBODY;12 500\n`;
  const page = await world.signedIn('fatou', '/reconcile');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from(statement) });
  await page.locator('[data-matched="1"]').waitFor();
  expect(await page.locator('[data-of=onlyTheirs]').innerText()).toMatch(/1$/);
  await page.getByText('TX-NOBODY').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the differences (CSV)' }).click();
  expect((await download).suggestedFilename()).toBe('november-differences.csv');
  await leave(page);
});
