/** The facts of an operation, with their names. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type AnyRow, pageOf } from '../asking/kinds.ts';
import { Moment, Money } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { Wallet } from '../parts/wallet.tsx';
import type { Words } from '../words/words.ts';

type FactName = keyof Words['pages']['operation']['facts'];

const TEXTS: readonly FactName[] = [
  'accountAlias',
  'payeeName',
  'purpose',
  'to',
  'withdrawMode',
  'reference',
  'account',
  'transactionId',
  'providerRef',
  'disburseId',
  'token',
  'id',
  'fileName',
  'uploadedBy',
  'approvedBy',
  'rejectedBy',
  'resolvedBy',
  'note',
  'failure',
  'code',
];
const LINKS: readonly FactName[] = ['batch', 'campaign', 'retryOf'];
const SUMS: readonly (FactName & keyof AnyRow)[] = ['fees', 'totalWithoutFees'];
const TIMES: readonly FactName[] = ['createdAt', 'updatedAt', 'notBefore', 'sendAt', 'sentAt', 'approvedAt'];

export function Facts({ operation }: { readonly operation: AnyRow }) {
  const { pages } = useWords();
  const says = pages.operation;
  const values = operation as unknown as Readonly<Record<string, unknown>>;
  const shown = (names: readonly FactName[], show: (text: string, name: FactName) => ReactNode) =>
    names.flatMap((name) => {
      const value = values[name];
      return typeof value === 'string' && value !== ''
        ? [<Fact key={name} name={says.facts[name]} is={show(value, name)} />]
        : [];
    });
  const { customer } = operation;
  const payer = [customer?.name, customer?.phone, customer?.email].filter(Boolean).join(' · ');
  return (
    <Section title={says.known}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        {payer !== '' && <Fact name={says.facts.customer} is={payer} />}
        {SUMS.map((sum) => {
          const xof = values[sum];
          return typeof xof === 'number' && <Fact key={sum} name={says.facts[sum]} is={<Money xof={xof} />} />;
        })}
        {shown(TEXTS, (text, name) => (name === 'withdrawMode' ? <Wallet mode={text} /> : text))}
        {shown(LINKS, (text) => (
          <Link to={pageOf(text)} className="link">
            {text}
          </Link>
        ))}
        {shown(TIMES, (text) => (
          <Moment at={text} seconds />
        ))}
      </dl>
    </Section>
  );
}

export function Fact({ name, is }: { readonly name: string; readonly is: ReactNode }) {
  return (
    <>
      <dt className="text-sm text-quiet">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{is}</dd>
    </>
  );
}
