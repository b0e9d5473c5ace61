/**
 * For a payment or a batch that waits for an approval: whether the balance is sufficient, and recent payments to its
 * recipients.
 */
import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { pageOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { Moment, Money, countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Loading, Section } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';
import { countryIn, phoneOf } from '../parts/wallet.tsx';

interface FundsProps {
  readonly account: string;
  /** XOF by country. */
  readonly needs: Readonly<Record<string, number>>;
}

/** Advice: the provider's figures are approximate, and a payment without funds waits. */
export function Funds({ account, needs }: FundsProps) {
  const { paying } = useWords();
  const balances = useAsk('getBalances', { account });
  const countries = Object.entries(needs).filter(([country]) => country !== 'service');
  if (countries.length === 0) return null;
  return (
    <Section title={paying.funds.title}>
      {balances.data === undefined && balances.error === null && <Loading />}
      {balances.error !== null && balances.data === undefined && <p data-funds="unknown">{paying.funds.notRead}</p>}
      {balances.data !== undefined && (
        <ul className="space-y-1">
          {countries.map(([country, needed]) => (
            <Country key={country} country={country} needed={needed} balances={balances.data} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface CountryProps {
  readonly country: string;
  readonly needed: number;
  readonly balances: Answer<'getBalances'>;
}

function Country({ country, needed, balances }: CountryProps) {
  const words = useWords();
  const says = words.paying.funds;
  const left = balances.afterInFlight?.[country] ?? balances.balances[country] ?? null;
  const name = countryIn(words, country);
  if (left === null) return <li data-funds="unknown">{says.ofCountry(name, says.notRead)}</li>;
  const rest = left - needed;
  return (
    <li
      className={`flex items-start gap-2 rounded-lg px-3 py-2 ${rest < 0 ? 'bg-uncertain-soft text-uncertain' : 'bg-done-soft text-done'}`}
      data-funds={rest < 0 ? 'short' : 'enough'}
    >
      <span className="mt-1">
        <Sign tone={rest < 0 ? 'uncertain' : 'done'} />
      </span>
      <span>
        {says.ofCountry(
          name,
          rest < 0
            ? says.short(moneyIn(words, left), moneyIn(words, -rest))
            : says.enough(moneyIn(words, left), moneyIn(words, rest)),
        )}
      </span>
    </li>
  );
}

type Recent = Answer<'listRecentPayments'>;

/** Recent payments to all recipients of a batch, in total; each row shows its own. */
export function RecentOfBatch({ recent }: { readonly recent: Recent }) {
  const words = useWords();
  const says = words.paying.recent;
  const { people, xof } = recent;
  return (
    <Section title={says.title}>
      <p data-recent={people}>
        {people === 0 ? says.none : says.ofPeople(countIn(words, people), moneyIn(words, xof))}
      </p>
    </Section>
  );
}

/** Below a row: recent payments to its recipient. */
export function RecentOfRow({ of }: { readonly of: Recent['items'][number] }) {
  const words = useWords();
  const { count, xof, last } = of;
  return (
    <p className="text-sm text-uncertain" data-recent="">
      {words.paying.recent.ofRow(countIn(words, count), moneyIn(words, xof))}{' '}
      <Link to={pageOf(last.id)} className="link">
        <Money xof={last.amount} />, <Moment at={last.createdAt} />
      </Link>
    </p>
  );
}

const DAYS_MS = 30 * 86_400_000;
const PAID = ['succeeded', 'unknown', 'needs_review'] as const;

interface OfPersonProps {
  readonly withdrawMode: string;
  readonly accountAlias: string;
}

/** Recent payments to the recipient of one payment. */
export function RecentOfPerson({ withdrawMode, accountAlias }: OfPersonProps) {
  const words = useWords();
  const says = words.paying.recent;
  const phone = phoneOf(withdrawMode, accountAlias);
  const [createdFrom] = useState(() => new Date(Date.now() - DAYS_MS).toISOString());
  const asked = { phone: phone ?? '', createdFrom, state: [...PAID], limit: 50 };
  const paid = useAsk('listDisbursements', asked, { enabled: phone !== undefined });
  if (phone === undefined || paid.data === undefined) return null;
  const rows = paid.data.items;
  return (
    <Section title={says.titleOfPerson}>
      {rows.length === 0 ? (
        <p data-recent="0">{says.noneOfPerson}</p>
      ) : (
        <ul className="divide-y divide-line" data-recent={rows.length}>
          {rows.map(({ id, amount, reference, createdAt }) => (
            <li key={id} className="flex flex-wrap justify-between gap-2 py-2">
              <Link to={pageOf(id)} className="link wrap-anywhere">
                {reference ?? id}
              </Link>
              <span>
                <Money xof={amount} /> · <Moment at={createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
