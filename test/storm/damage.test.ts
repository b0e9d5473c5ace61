import { expect, test } from 'vitest';
import { Damage } from './damage.ts';
import { worldNames } from './worlds.ts';

const status = '/api/v2/disburse/check-status';
const asked = (token: string) => ({
  path: status,
  at: 0,
  endedAt: 0,
  answer: '',
  body: JSON.stringify({ disburse_invoice: token }),
});
const said = (token: string): string =>
  JSON.stringify({ status: 'success', token, disburse_id: `id-${token}`, amount: '100.00' });

const tokens = Array.from({ length: 2_000 }, (_, index) => `t${index}`);
const told = (damage: Damage, token: string): string =>
  damage.bend(asked(token))?.answer?.(said(token)) ?? said(token);

test('the same seed bends the same answers, and a storm without those worlds bends none', () => {
  const all = new Set(worldNames);
  const [one, two, none] = [new Damage(1, all), new Damage(1, all), new Damage(1, new Set())];
  const bent = tokens.filter((token) => told(one, token) !== said(token));
  expect(bent.length).toBeGreaterThan(100);
  expect(tokens.filter((token) => told(two, token) !== said(token))).toEqual(bent);
  expect(tokens.filter((token) => told(none, token) !== said(token))).toEqual([]);
});

test('most lies are told once, and when the storm is over nothing new is made up', () => {
  const damage = new Damage(1, new Set(worldNames));
  const first = tokens.filter((token) => told(damage, token) !== said(token));
  const second = tokens.filter((token) => told(damage, token) !== said(token));
  expect(second.length).toBeLessThan(first.length / 3);
  const calm = new Damage(1, new Set(worldNames));
  calm.end();
  const still = tokens.filter((token) => told(calm, token) !== said(token));
  expect(still).toEqual([]);
});

test('no token is given twice of which a copy that was put back no longer knows the use', () => {
  const damage = new Damage(1, new Set(worldNames));
  const exchange = (path: string, token: string) => ({ ...asked(token), path });
  const given = (token: string): string | undefined => {
    const answer = JSON.stringify({ disburse_token: token });
    const bent = damage.bend(exchange('/api/v2/disburse/get-invoice', token))?.answer?.(answer) ?? answer;
    return bent === answer ? undefined : bent;
  };
  for (const token of tokens) damage.bend(exchange('/api/v2/disburse/submit-invoice', `used-${token}`));
  expect(tokens.filter(given).length).toBeGreaterThan(0);
  damage.forgetSince(0);
  expect(tokens.filter(given)).toEqual([]);
});
