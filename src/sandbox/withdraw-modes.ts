import type { BalanceCountry } from './settings.ts';

/** The allowed withdraw_mode values and the country whose balance pays (interface: Disbursement). */
const modes = {
  // The page does not say which country an account-to-account transfer belongs to; the sandbox books it in Senegal.
  service: 'SN',
  'wallet-a-senegal': 'SN',
  'wallet-b-senegal': 'SN',
  'wallet-c-senegal': 'SN',
  'wallet-d-senegal': 'SN',
  'wallet-e-benin': 'BJ',
  'wallet-f-benin': 'BJ',
  'wallet-e-ci': 'CI',
  'wallet-a-ci': 'CI',
  'wallet-f-ci': 'CI',
  'wallet-d-ci': 'CI',
  'wallet-g-togo': 'TG',
  'wallet-f-togo': 'TG',
  'wallet-a-mali': 'ML',
  'wallet-a-burkina': 'BF',
  'wallet-f-burkina-faso': 'BF',
} as const satisfies Record<string, BalanceCountry>;

export const isWithdrawMode = (mode: string): mode is keyof typeof modes => Object.hasOwn(modes, mode);

export const countryOf = (mode: string): BalanceCountry => (isWithdrawMode(mode) ? modes[mode] : 'SN');
