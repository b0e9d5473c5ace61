/** Names of wallets: `wallet-b-senegal` is the provider's code. */
import { countries } from '../../src/lib/countries.ts';
import { type KnownWithdrawMode, readAccountAlias, withdrawModes } from '../../src/provider/capabilities.ts';
import type { Words } from '../words/words.ts';
import { useWords } from './language.tsx';

const isKnown = (mode: string): mode is KnownWithdrawMode => Object.hasOwn(withdrawModes, mode);

/** Undefined: none, or unknown. */
export function countryOfMode(mode: string): keyof typeof countries | undefined {
  if (!isKnown(mode)) return undefined;
  const known = withdrawModes[mode];
  return 'country' in known ? known.country : undefined;
}

export function countryIn({ figures, paying }: Words, code: string): string {
  if (code === 'service') return paying.ofProvider;
  return new Intl.DisplayNames(figures.locale, { type: 'region', fallback: 'code' }).of(code) ?? code;
}

/** A mode that the provider added since is shown unchanged. */
export function walletIn(words: Words, mode: string): string {
  if (!isKnown(mode)) return mode;
  const known = withdrawModes[mode];
  if (!('wallet' in known)) return words.paying.ofProvider;
  return words.paying.wallet(known.wallet.toUpperCase(), countryIn(words, known.country));
}

export function Wallet({ mode }: { readonly mode: string }) {
  return <span title={mode}>{walletIn(useWords(), mode)}</span>;
}

/** The payee's phone number in international form. Undefined: the wallet does not use phone numbers. */
export function phoneOf(mode: string, accountAlias: string): string | undefined {
  const country = countryOfMode(mode);
  const read = readAccountAlias(accountAlias, country);
  return country === undefined || 'problem' in read ? undefined : `+${countries[country].dialling}${read.alias}`;
}
