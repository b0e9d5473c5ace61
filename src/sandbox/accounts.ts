/** Balances and direct credits of the accounts (interface: Balance record; Direct credit). */
import { z } from 'zod';
import { ok, refuse, refuseIn, undocumentedStatus } from './answers.ts';
import { readBody } from './body.ts';
import { balanceCountries, type BalanceCountry, type SettingValues } from './settings.ts';
import type { Handler } from './simulator.ts';

const DESCRIPTION = 'The balance is approximate; the exact balance is shown in your account';

export const allBalances: Handler = (_call, { settings }) => balancesOf(balanceCountries, settings.values);

export const oneBalance: Handler = ({ endpoint }, simulator) => {
  const { accounts } = simulator.settings.values;
  const country = Object.hasOwn(accounts, endpoint.tail) ? accounts[endpoint.tail] : undefined;
  if (country === undefined)
    return refuseIn('flag', '', 'Account user not found', undocumentedStatus(simulator, 404));
  return balancesOf([country], simulator.settings.values);
};

const separators = { plain: '', spaces: ' ', commas: ',' } as const;

function balancesOf(countries: readonly BalanceCountry[], values: SettingValues) {
  const lines = countries.map((country) => {
    const amount = (values.balances[country] ?? 0) + values.balanceError;
    const grouped = amount.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, separators[values.balanceFormat]);
    return [`Balance ${country}`, `${grouped} XOF`];
  });
  return ok({ success: true, description: DESCRIPTION, ...Object.fromEntries(lines) });
}

const creditBody = z.strictObject({ account_alias: z.string().min(1), amount: z.number().positive() });

/** A direct credit is one step, without a reference and without a status to query. */
export const creditAccount: Handler = (call, simulator) => {
  const { random, records, settings } = simulator;
  const read = readBody(creditBody, call, simulator);
  // The codes of this operation are not documented; the sandbox borrows those of disbursements.
  if (!read.ok) return refuse('1001', 'Data not valid', 400);
  const { directCreditEnabled, balances } = settings.values;
  const { account_alias: accountAlias, amount } = read.data;
  const { mode } = call.endpoint;
  if (!directCreditEnabled) return refuse('401', 'Direct credit is not enabled for this application');
  if (amount > (balances.SN ?? 0)) return refuse('4002', 'Insufficient funds');

  const transactionId = `TFA-TX-${random.hex(5).toUpperCase()}`;
  if (mode === 'live') settings.moveBalance('SN', -amount);
  records.directCredits.push({ transactionId, accountAlias, amount, mode });
  return ok({
    response_code: '00',
    response_text: 'Transaction completed successfully',
    description: `${amount} XOF credited to ${accountAlias}`,
    transaction_id: transactionId,
  });
};
