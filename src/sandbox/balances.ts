/** Approximate balances per country account (interface: Balance record). */
import { ok, refuseIn } from './answers.ts';
import { balanceCountries, type BalanceCountry, type SettingValues } from './settings.ts';
import { type Handler, undocumentedStatus } from './world.ts';

const DESCRIPTION = 'The balance is approximate; the exact balance is shown in your account';

export const allBalances: Handler = (_ask, { settings }) =>
  ok({
    success: true,
    description: DESCRIPTION,
    ...Object.fromEntries(balanceCountries.map((country) => line(country, settings.values))),
  });

export const oneBalance: Handler = ({ endpoint }, world) => {
  const { accounts } = world.settings.values;
  const country = Object.hasOwn(accounts, endpoint.tail) ? accounts[endpoint.tail] : undefined;
  if (country === undefined) return refuseIn('flag', '', 'Account user not found', undocumentedStatus(world, 404));
  return ok({
    success: true,
    description: DESCRIPTION,
    ...Object.fromEntries([line(country, world.settings.values)]),
  });
};

const separators = { plain: '', spaces: ' ', commas: ',' } as const;

function line(country: BalanceCountry, values: SettingValues): readonly [string, string] {
  const amount = (values.balances[country] ?? 0) + values.balanceError;
  const grouped = amount.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, separators[values.balanceFormat]);
  return [`Balance ${country}`, `${grouped} XOF`];
}
