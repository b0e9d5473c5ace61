import { expect, test } from 'vitest';
import { readWithdrawMode } from '../../src/provider/capabilities.ts';
import { reworded } from '../support/reworded.ts';

test('an exact mode is itself, with its country', () => {
  expect(readWithdrawMode(' wallet-f-burkina-faso ')).toEqual({ mode: 'wallet-f-burkina-faso', country: 'BF' });
  expect(readWithdrawMode('service')).toEqual({ mode: 'service' });
});

test.for([
  [{ wallet: 'f', country: 'BF' }, 'wallet-f-burkina-faso'],
  [{ wallet: 'a', country: 'bf' }, 'wallet-a-burkina'],
  [{ wallet: 'D', country: 'ci' }, 'wallet-d-ci'],
  [{ wallet: 'a', country: 'senegal' }, 'wallet-a-senegal'],
] as const)('a wallet and a country name a mode (%j)', ([asked, mode]) => {
  expect(readWithdrawMode(asked)).toMatchObject({ mode });
});

const lookAlikes: readonly (readonly [asked: string, says: string])[] = [
  ['wallet-f-burkina', 'did you mean "wallet-f-burkina-faso"?'],
  ['wallet-a-burkina-faso', 'did you mean "wallet-a-burkina"?'],
  ['new-wallet-a-senegal', 'did you mean "wallet-a-senegal"?'],
  ['Wallet_A Sénégal', 'did you mean "wallet-a-senegal"?'],
  ["wallet-e-cote-d'ivoire", 'did you mean "wallet-e-ci"?'],
  ['SERVICE', 'did you mean "service"?'],
  [
    'wallet-h-senegal',
    'can collect but not disburse in Senegal; there it is one of wallet-a-senegal, wallet-b-senegal',
  ],
  ['wallet-f-mali', 'can collect but not disburse in Mali; there it is one of wallet-a-mali'],
  ['wallet-a-togo', 'has no withdraw mode in Togo; there it is one of wallet-g-togo, wallet-f-togo'],
  ['orange', 'the modes are service, wallet-a-senegal'],
  ['toString', 'the modes are service'],
];
test.for(lookAlikes)('%s is refused with the right value named', ([asked, says]) => {
  expect(reworded(readWithdrawMode(asked))).toEqual({ problem: expect.stringContaining(says) });
});

test('a mode that the provider added since can be configured', () => {
  expect(readWithdrawMode('wallet-h-senegal', ['wallet-h-senegal'])).toEqual({
    mode: 'wallet-h-senegal',
    country: 'SN',
  });
  expect(readWithdrawMode('bank', ['bank'])).toEqual({ mode: 'bank' });
});

test('a country that the provider does not serve is named', () => {
  expect(reworded(readWithdrawMode({ wallet: 'a', country: 'GH' }))).toEqual({
    problem: expect.stringContaining('SN CI BJ TG ML BF'),
  });
});
