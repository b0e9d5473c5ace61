/** Four people and what they have in hand, at shells of their own, against the doors and two workers. */
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Asking } from '../../script/demonstration/asking.ts';
import { Deployment, type Shell } from '../support/deployment.ts';

const secretOf = (name: string): string => `${name}-secret-of-24-characters`;
const NUMBER = '771234567';
const PAID = 1_500;
const APPROVAL_ABOVE = 100_000;
const LARGE = 250_000;

type Body = any;

let dir: string;
let deployment: Deployment;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-people-'));
  deployment = await Deployment.open({
    API_KEYS: [
      `manager/mariam:enqueue+read+operate:${secretOf('manager')}`,
      `clerk/cheikh:read:${secretOf('clerk')}`,
      `approver/aminata:read+approve:${secretOf('approver')}`,
      `auditor/awa:read+admin:${secretOf('auditor')}`,
    ].join(),
    DEFAULT_COUNTRY: 'SN',
    DIRECT_CREDIT: 'on',
    APPROVAL_ABOVE: String(APPROVAL_ABOVE),
    RECHECK_SUCCEEDED: '1s,2s,4s,8s,16s,32s',
  });
  await deployment.start();
  await deployment.processes.start('second-worker', ['run', '--roles', 'worker'], deployment.settings);
});
afterAll(async () => {
  await deployment?.close();
  rmSync(dir, { recursive: true, force: true });
});

const shell = (name: string): Shell => deployment.shellOf(secretOf(name));
const asked = async (name: string, ...args: readonly string[]): Promise<Body> =>
  JSON.parse(await shell(name)(...args, '--json'));
const idsOf = ({ items }: Body): string[] => items.map(({ id }: Body) => id);
const door = (name: string): Asking => new Asking(deployment.maker.base, secretOf(name));
const refusal = (name: string, ...args: readonly string[]) =>
  deployment.processes.run(args, { RELAIS_URL: deployment.maker.base, RELAIS_API_KEY: secretOf(name) });

const until = (path: string, wanted: (body: Body) => boolean): Promise<Body> =>
  vi.waitUntil(async () => [await door('clerk').get<Body>(path)].find(wanted), { interval: 50 });
const untilState = (id: string, state: string): Promise<Body> =>
  until(`/v1/disbursements/${id}`, (one) => one.state === state);

const payment = (reference: string, more: object = {}) => ({
  accountAlias: NUMBER,
  amount: PAID,
  withdrawMode: 'wallet-a-senegal',
  reference,
  ...more,
});
const pay = (reference: string, more: object = {}): Promise<Body> =>
  door('manager').post('/v1/disbursements', payment(reference, more));

async function texted(name: string): Promise<string> {
  const file = join(dir, `${name}.csv`);
  writeFileSync(file, ['numero', NUMBER, '771234568', '771234569'].join('\n'));
  const said = ['--name', name, '--text', 'Bonjour', '--country', 'SN', '--reference', name, '--no-canary', '--yes'];
  const { id } = await asked('manager', 'campaign', 'create', ...said, file);
  await shell('manager')('campaign', 'start', id, '--yes');
  await until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
  return id;
}

describe('the manager who lost the id', () => {
  test('finds each kind at the top of its list, and by the name that she gave it', async () => {
    const campaign = await texted('november');
    const paid = await pay('salary-17');
    await untilState(paid.id, 'succeeded');
    const post = (path: string, body: object): Promise<Body> => door('manager').post(path, body);
    const collected = {
      items: [{ name: 'rice', quantity: 1, unitPrice: 5_000, totalPrice: 5_000 }],
      totalAmount: 5_000,
    };
    const made: Readonly<Record<string, Body>> = {
      disburse: paid,
      campaign: { id: campaign },
      messages: (await post('/v1/messages', { to: `+221${NUMBER}`, text: 'Votre code', reference: 'code-17' }))
        .items[0],
      invoice: await post('/v1/invoices', {
        ...collected,
        store: { name: 'shop' },
        description: 'rice',
        reference: 'invoice-17',
      }),
      'payment-request': await post('/v1/payment-requests', {
        amount: 5_000,
        feesPaidBy: 'merchant',
        phone: `+221${NUMBER}`,
        reference: 'request-17',
      }),
      'direct-credit': await post('/v1/direct-credits', {
        accountAlias: NUMBER,
        amount: 700,
        reference: 'credit-17',
      }),
    };
    for (const [kind, { id }] of Object.entries(made)) {
      expect([kind, idsOf(await asked('manager', kind, 'list', '--limit', '1'))]).toEqual([kind, [id]]);
    }
    const references = ['november', 'salary-17', 'code-17', 'invoice-17', 'request-17', 'credit-17'];
    for (const [at, { id }] of [made['campaign'], paid, ...Object.values(made).slice(2)].entries()) {
      expect([references[at], idsOf(await asked('manager', 'search', references[at] ?? ''))]).toEqual([
        references[at],
        [id],
      ]);
    }
  });

  test('goes through a list page by page by filters that hold together; each is on one page, the newest first', async () => {
    const ids: string[] = [];
    for (const nth of Array(12).keys()) ids.push((await pay(`page-${nth}`, { amount: 2_000 + nth })).id);
    for (const id of ids) await untilState(id, 'succeeded');
    const filters = ['--state', 'succeeded,failed', '--amount-min', '2001', '--amount-max', '2010'];
    const found: string[] = [];
    let after: string | null = null;
    do {
      const next: readonly string[] = after === null ? [] : ['--after', after];
      const page: Body = await asked('manager', 'disburse', 'list', ...filters, '--limit', '3', ...next);
      found.push(...idsOf(page));
      after = page.next;
    } while (after !== null);
    expect(found).toEqual(ids.slice(1, 11).toReversed());
    const csv = await fetch(`${deployment.maker.base}/v1/disbursements?amountMin=2001&amountMax=2010`, {
      headers: { authorization: `Bearer ${secretOf('manager')}`, accept: 'text/csv' },
    });
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(11);
  });

  test.for(['sate=failed', 'account=nosuch', 'after=zzz', 'state=paid'])(
    'is told that %s is no filter',
    async (query) => {
      expect(await door('manager').ask(`/v1/disbursements?${query}`)).toMatchObject({ status: 422 });
    },
  );

  test('sees on one screen what stands where, and hears what happens as it does', async () => {
    const screen = (await shell('manager')('status')).trimEnd().split('\n');
    expect(screen.length).toBeLessThanOrEqual(40);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(100);

    const stream = await fetch(`${deployment.maker.base}/v1/stream?types=disbursement.succeeded`, {
      headers: { authorization: `Bearer ${secretOf('manager')}` },
    });
    const { id } = await pay('heard');
    let heard = '';
    const words = new TextDecoder();
    for await (const part of stream.body ?? []) {
      heard += words.decode(part as Uint8Array, { stream: true });
      if (heard.includes(id)) break;
    }
    expect(heard).toMatch(/^id: \d+-\d+\S*\ndata: /m);
  });
});

describe('the clerk who has only a telephone number', () => {
  test('finds what was paid to it, what was sent to it, and the campaign that was to text it', async () => {
    const paid = await pay('rent-3', { accountAlias: '771112233' });
    await untilState(paid.id, 'succeeded');
    const { items } = await door('manager').post<Body>('/v1/messages', { to: '+221771112233', text: 'Bonjour' });
    for (const spelt of ['+221 77 111 22 33', '77 111 22 33', '00221771112233']) {
      expect([spelt, new Set(idsOf(await asked('clerk', 'search', spelt)))]).toEqual([
        spelt,
        new Set([paid.id, items[0].id]),
      ]);
    }
    const [{ campaign, state }] = (await asked('clerk', 'campaign', 'texted', '--phone', '77 123 45 67')).items;
    expect([campaign, state]).toEqual([idsOf(await asked('clerk', 'search', 'november'))[0], 'sent']);
    expect(await shell('clerk')('explain', paid.id)).toMatch(/was paid; the provider confirmed it/);
  });

  test('finds a payment by each name that the service gave it', async () => {
    const { id } = await pay('named');
    const one = await untilState(id, 'succeeded');
    for (const name of ['disburseId', 'token', 'transactionId', 'providerRef']) {
      if (one[name]) expect([name, idsOf(await asked('clerk', 'search', one[name]))]).toEqual([name, [id]]);
    }
    expect(one.token && one.transactionId && one.disburseId).toBeTruthy();
  });

  test('may look, and change nothing', async () => {
    expect(await door('clerk').ask('/v1/disbursements', { method: 'POST', body: payment('hers') })).toMatchObject({
      status: 403,
      body: { rule: 'role' },
    });
  });
});

describe('the approver', () => {
  test('is told what waits, and it leaves only by her word', async () => {
    const { id, state } = await pay('large', { amount: LARGE });
    expect(state).toBe('awaiting_approval');
    const told = await shell('approver')('events', '--types', 'disbursement.awaiting_approval');
    expect(told).toContain(id);
    expect(await shell('approver')('status')).toMatch(/awaiting/);
    const refused = await refusal('manager', 'disburse', 'approve', id, '--yes');
    expect(refused.code).not.toBe(0);
    expect((await door('approver').get<Body>(`/v1/disbursements/${id}`)).state).toBe('awaiting_approval');
    await shell('approver')('disburse', 'approve', id, '--yes');
    await untilState(id, 'succeeded');
  });

  test('decides many by one word, each looked at upstream first', async () => {
    await deployment.control.post('/faults', {
      fault: 'reports another amount',
      operation: 'disbursement.status',
    });
    const ids = await Promise.all(['a', 'b', 'c'].map(async (name) => (await pay(`odd-${name}`)).id));
    for (const id of ids) await untilState(id, 'needs_review');
    await deployment.control.ask('/faults', { method: 'DELETE' });
    const { items } = await asked('approver', 'review', 'list');
    const [{ reason }] = items;
    const word = ['--where', `reason=${reason}`, '--outcome', 'succeeded', '--note', 'seen in their dashboard'];
    const { count, selection } = await asked('approver', 'review', 'resolve', ...word);
    expect(count).toBe(3);
    await shell('approver')('review', 'resolve', ...word, '--confirm', `${count}:${selection}`);
    for (const id of ids) await untilState(id, 'succeeded');
    expect(await asked('approver', 'review', 'list')).toMatchObject({ items: [] });
  });

  test('hears of a success that the service takes back', async () => {
    const { id } = await pay('taken-back', { accountAlias: '773334455' });
    const { token } = await untilState(id, 'succeeded');
    await deployment.control.post(`/disbursements/${token}`, { status: 'reversed' });
    await untilState(id, 'reversed');
    expect(await shell('approver')('events', '--types', 'disbursement.reversed')).toContain(id);
  });

  test('a reference with another amount says which field differs, a number of another country is questioned', async () => {
    const body = payment('large', { amount: LARGE + 1 });
    expect(await door('manager').ask('/v1/disbursements', { method: 'POST', body })).toMatchObject({
      status: 409,
      body: { differs: ['/amount'] },
    });
    const unusual = payment('abidjan', { accountAlias: '0701020304' });
    expect(await door('manager').ask('/v1/disbursements', { method: 'POST', body: unusual })).toMatchObject({
      status: 422,
    });
  });
});

interface Signed {
  readonly number: string;
  readonly id: string;
}

interface Line {
  readonly id: string;
  readonly act: string;
  readonly person: string;
  readonly role: string;
  readonly source: string;
  readonly requestId: string;
  readonly target: string;
}

describe('the auditor', () => {
  test('reads who did what: a line for each act, and none for what was refused or only looked at', async () => {
    const before = (await asked('auditor', 'audit', 'list', '--limit', '1')).items as Line[];
    const { id, secret } = await asked(
      'auditor',
      'keys',
      'create',
      '--name',
      'guest',
      '--roles',
      'read',
      '--person',
      'moussa',
    );
    const paid = await pay('audited', { amount: LARGE });
    await door('approver').post(`/v1/disbursements/${paid.id}/approve`);
    await refusal('manager', 'disburse', 'approve', paid.id, '--yes');
    await pay('audited', { amount: LARGE });
    await shell('clerk')('disburse', 'list');
    await shell('auditor')('keys', 'revoke', id, '--yes');
    const { items } = (await asked('auditor', 'audit', 'list')) as { items: Line[] };
    const since = items.slice(
      0,
      items.findIndex((line) => line.id === before[0]?.id),
    );
    expect(since.map(({ act, person, role, target }) => [act, person, role, target])).toEqual([
      ['key.revoke', 'awa', 'admin', id],
      ['disbursement.approve', 'aminata', 'approve', paid.id],
      ['disbursement.create', 'mariam', 'enqueue', paid.id],
      ['key.create', 'awa', 'admin', id],
    ]);
    expect(items.filter((line) => line.source === 'api' && line.requestId === '')).toEqual([]);
    expect(JSON.stringify(items)).not.toContain(secret);
    expect(JSON.stringify(items)).not.toContain(NUMBER);
  });

  test('finds the line that was changed by hand in PostgreSQL, and the line that was deleted', async () => {
    expect(await shell('auditor')('audit', 'verify')).toMatch(/lines/);
    const [middle] = await deployment.query<Signed>(
      `select number, relais.audit_id(sequence, at) as id from relais.audit_line
       where number >= (select max(number) / 2 from relais.audit_line) order by number limit 1`,
    );
    const { number, id } = middle!;
    await deployment.query('create table kept as select * from relais.audit_line where number = $1', [number]);
    const found = async (): Promise<readonly unknown[]> => {
      const { code, stdout } = await refusal('auditor', 'audit', 'verify');
      return [code, stdout];
    };

    await deployment.query("update relais.audit_line set person = 'somebody-else' where number = $1", [number]);
    expect(await found()).toEqual([1, expect.stringContaining(id)]);

    await deployment.query('delete from relais.audit_line where number = $1', [number]);
    const [next] = await deployment.query<Signed>(
      'select number, relais.audit_id(sequence, at) as id from relais.audit_line where number > $1 order by number limit 1',
      [number],
    );
    expect(await found()).toEqual([1, expect.stringContaining(next!.id)]);

    await deployment.query('insert into relais.audit_line overriding system value select * from kept');
    await shell('auditor')('audit', 'verify');
  });
});
