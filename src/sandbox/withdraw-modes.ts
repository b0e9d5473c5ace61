import type { BalanceCountry } from './settings.ts';
import type { Simulator } from './simulator.ts';

/** The allowed withdraw_mode values and the country whose balance pays (interface: Disbursement). */
const withdrawModes = {
  // The interface does not name the country of a transfer between accounts; the sandbox uses Senegal.
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

export const isWithdrawMode = (mode: string): mode is keyof typeof withdrawModes =>
  Object.hasOwn(withdrawModes, mode);

/** The country whose balance a disbursement is paid from. */
export function payingCountry(
  mode: string | undefined,
  account: string | undefined,
  { settings }: Simulator,
): BalanceCountry {
  if (mode === 'service' && account !== undefined) return settings.values.accounts[account] ?? 'SN';
  return mode !== undefined && isWithdrawMode(mode) ? withdrawModes[mode] : 'SN';
}
