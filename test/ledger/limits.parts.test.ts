/** Money limits in the ledger: audit entries, and concurrent callers. */
import { expect, test } from 'vitest';
import { MoneyLimits } from '../../src/ledger/limits.ts';
import type { MoneyLimit, Opinions } from '../../src/kinds/limits.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('limit_value', 'limit_proposal', 'audit_line');
const limitsOf = (own: Opinions = {}, more = {}) => new MoneyLimits({ database: ledger.database, own, ...more });
const act = {
  by: 'maker',
  person: 'awa',
  role: 'approve',
  source: 'api',
  requestId: 'r',
  act: 'limit.set',
  target: 'MAX_PER_DAY',
} as const;

test('each change has its audit entry, and a repeated call none', async () => {
  const limits = limitsOf({ DUPLICATE_WINDOW: 60_000 });
  for (const _ of [1, 2]) await limits.publish('settings of api', 'op-1', 'at start', { ...act, source: 'settings' });
  for (const _ of [1, 2]) await limits.set('MAX_PER_DAY', 100, 'maker', { act });
  for (const _ of [1, 2]) await limits.set('MAX_PER_DAY', null, 'maker', { act });
  await limits.set('MAX_PER_DAY', null, 'checker', { act: { ...act, by: 'checker' } });
  expect(
    await ledger.query('select by, source, target, before, facts from relais.audit_line order by sequence'),
  ).toEqual([
    { by: 'maker', source: 'settings', target: 'DUPLICATE_WINDOW', before: null, facts: { value: '60000' } },
    {
      by: 'maker',
      source: 'api',
      target: 'MAX_PER_DAY',
      before: { value: 'off' },
      facts: { value: '100', asked: '100', is: 'in force' },
    },
    {
      by: 'maker',
      source: 'api',
      target: 'MAX_PER_DAY',
      before: { value: '100' },
      facts: { value: '100', asked: 'off', is: 'waits' },
    },
    {
      by: 'checker',
      source: 'api',
      target: 'MAX_PER_DAY',
      before: { value: '100' },
      facts: { value: 'off', asked: 'off', is: 'in force' },
    },
  ]);
});

test('one person under two names is not two people', async () => {
  const limits = limitsOf();
  await limits.set('MAX_PER_DAY', 100, 'maker');
  await limits.set('MAX_PER_DAY', 200, 'Awa@example.org');
  expect((await limits.set('MAX_PER_DAY', 200, 'awa', { ones: ['awa', 'awa@example.org'] })).is).toBe('waits');
  expect((await limits.set('MAX_PER_DAY', 200, 'maker', { ones: ['maker'] })).is).toBe('in force');
});

test('of many concurrent requests for a looser value, the second one applies it, and only one does', async () => {
  const limits = limitsOf();
  await limits.set('APPROVAL_ABOVE', 10, 'maker');
  const asked = Array.from({ length: 6 }, (_, at) => limits.set('APPROVAL_ABOVE', 50, `person ${at}`));
  const answers = (await Promise.all(asked)).map(({ is }) => is).sort();
  expect(answers).toEqual(['in force', 'unchanged', 'unchanged', 'unchanged', 'unchanged', 'waits']);
});

test('a stricter value is journaled before its answer; a proposal and a looser value are not', async () => {
  const told: (readonly [string, object])[] = [];
  const onCommitted = async (kind: string, facts: object): Promise<void> => void told.push([kind, facts]);
  const limits = limitsOf({ DUPLICATE_WINDOW: 60_000 }, { onCommitted });
  await limits.publish('settings of api', 'op-1');
  for (const [value, by] of [
    [100, 'maker'],
    [200, 'maker'],
    [200, 'checker'],
  ] as const)
    await limits.set('MAX_PER_DAY', value, by);
  expect(told).toEqual([
    ['limit.set', { name: 'DUPLICATE_WINDOW', value: 60_000, by: 'settings of api' }],
    ['limit.set', { name: 'MAX_PER_DAY', value: 100, by: 'maker' }],
  ]);
});

test('a row of a limit that this version does not know fails nothing', async () => {
  await ledger.query(`insert into relais.limit_value (name, value, set_by, op, had_value)
    values ('LIMIT_OF_TOMORROW', 1, 'x', 'x', false)`);
  const names: readonly MoneyLimit[] = (await limitsOf().list(0)).map(({ name }) => name);
  expect(names).not.toContain('LIMIT_OF_TOMORROW');
  expect(await limitsOf().inForce()).toEqual({ MAX_DISBURSEMENT: 2_000_000 });
});

test('after a restore, the stricter value of a limit counts', async () => {
  const limits = limitsOf();
  const replayed = (name: MoneyLimit, value: number) => ledger.database.run('replay_limit', [name, value, 'maker']);
  await limits.set('DUPLICATE_WINDOW', 60_000, 'maker');
  await limits.set('MAX_PER_DAY', 100, 'maker');
  await limits.set('APPROVAL_ABOVE', null, 'maker');
  for (const value of [30_000, 90_000, 70_000]) await replayed('DUPLICATE_WINDOW', value);
  for (const value of [200, 50, 70]) await replayed('MAX_PER_DAY', value);
  await replayed('APPROVAL_ABOVE', 10);
  expect(await limits.inForce()).toMatchObject({ DUPLICATE_WINDOW: 90_000, MAX_PER_DAY: 50, APPROVAL_ABOVE: 10 });
});
