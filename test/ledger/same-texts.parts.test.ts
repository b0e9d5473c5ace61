/** An SMS in the statistics settles one in doubt only if no other campaign or message may have sent it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import { SameTexts } from '../../src/ledger/same-texts.ts';
import { payeeOf } from '../../src/provider/capabilities.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { madeCampaign } from '../support/ledger-campaign.ts';

let ledger: FreshLedger;
let database: Database;
let texts: SameTexts;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  texts = new SameTexts({ database, beneficiaryOf: (to) => payeeOf(to, undefined) });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(async () => {
  await ledger.query(
    'truncate relais.operation, relais.campaign, relais.recipient, relais.sms_request restart identity cascade',
  );
  await madeCampaign(ledger, 'cmp_1', { text: 'Bonjour {{prenom}}' });
  await ledger.query(`update relais.campaign set recipients = 1`);
  await ledger.query(
    `insert into relais.recipient (campaign, n, row, phone, variables) values (1, 0, 2, 221771234567, 'Awa')`,
  );
});

const TO = '+221771234567';

/** Whether each may be another SMS. */
async function taken(...asked: readonly string[]): Promise<boolean[]> {
  const asking = { account: 'main', campaign: 'cmp_other', at: Date.now() };
  const codes = await texts.freeCodes(
    asking,
    asked.map((text) => ({ to: TO, text, codes: ['00'] })),
  );
  return codes.map((code) => code === undefined);
}

const request = (columns: string, values: string) =>
  ledger.query(`insert into relais.sms_request (campaign, n, size, ${columns}) values (1, 0, 1, ${values})`);

test('of a campaign: SMS sent, being sent, or in doubt, to this recipient with this text', async () => {
  await request('state', `'queued'`);
  await ledger.query(`update relais.campaign set started_at = now()`);
  expect(await taken('Bonjour Awa')).toEqual([false]);
  await ledger.query(`update relais.sms_request set state = 'sending'`);
  expect(await taken('Bonjour Awa', 'Bonjour Ali')).toEqual([true, false]);
  for (const letter of ['s', 'u']) {
    await ledger.query(`update relais.sms_request set state = 'settled', outcome = '${letter}'`);
    expect(await taken('Bonjour Awa')).toEqual([true]);
  }
  await ledger.query(`update relais.sms_request set outcome = 'f'`);
  expect(await taken('Bonjour Awa')).toEqual([false]);
});

test('a recipient who waits for a resend may have got the first SMS', async () => {
  await ledger.query(`update relais.campaign set started_at = now()`);
  await request('state, outcome', `'settled', '-'`);
  await ledger.query(
    `insert into relais.sms_request (campaign, n, size, members, before, state) values (1, 1, 1, '{0}', 'u', 'queued')`,
  );
  expect(await taken('Bonjour Awa')).toEqual([true]);
});

test('a campaign that ended days ago, or of another account, accounts for nothing', async () => {
  await request('state, outcome', `'settled', 's'`);
  await ledger.query(`update relais.campaign set started_at = now(), account = 'other'`);
  expect(await taken('Bonjour Awa')).toEqual([false]);
  await ledger.query(`update relais.campaign set account = 'main'`);
  expect(await taken('Bonjour Awa')).toEqual([true]);
  await ledger.query(`alter table relais.campaign disable trigger user`);
  await ledger.query(
    `update relais.campaign set state = 'finished', sent = 1, finished_at = now() - interval '5 days', updated_at = now() - interval '5 days'`,
  );
  expect(await taken('Bonjour Awa')).toEqual([false]);
  await ledger.query(`alter table relais.campaign enable trigger user`);
});

test('of single messages: sent ones, and those in flight', async () => {
  expect(await taken('Code 4711')).toEqual([false]);
  await ledger.query(
    `insert into relais.operation (id, kind, account, fingerprint, state, beneficiary, request, created_by, schema_version, op)
     values ('msg_1', 'message', 'main', '\\x00', 'sending', 'SN 771234567', '{"to": "${TO}", "text": "Code 4711"}', 'k', 1, '${randomUUID()}')`,
  );
  expect(await taken('Code 4711', 'Code 4712')).toEqual([true, false]);
  await ledger.query(`update relais.operation set state = 'sent', finished_at = now(), facts = '{"code": "E1"}'`);
  const asking = { account: 'main', campaign: 'cmp_other', at: Date.now() };
  const ask = (codes: readonly string[]) => texts.freeCodes(asking, [{ to: TO, text: 'Code 4711', codes }]);
  expect([await ask(['E1']), await ask(['E1', 'E2']), await ask(['00'])]).toEqual([[undefined], ['E2'], [undefined]]);
});
