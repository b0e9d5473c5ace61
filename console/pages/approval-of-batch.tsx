/** A batch that waits for an approval: its file, the balance, its recipients and their recent payments. */
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { pageOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { Count, Moment, Money } from '../parts/figures.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Read, Section } from '../parts/page.tsx';
import { countryIn, walletIn } from '../parts/wallet.tsx';
import type { FormWords } from '../words/forms.ts';
import { Deciding } from './approval-deciding.tsx';
import { Funds, RecentOfBatch, RecentOfRow } from './approval-money.tsx';
import { Sums, Warnings } from './approval-batch.tsx';
import { type NamedFact, Summary } from './approval-summary.tsx';
import { BatchRows } from './batch-rows.tsx';

type Batch = Answer<'getBatch'>;

const FIRST_ROWS = 10;

export function OfBatch({ id }: { readonly id: string }) {
  const batch = useAsk('getBatch', { id }, { everyMs: 10_000 });
  return <Read of={batch}>{(read, at) => <WholeBatch batch={read} at={at} />}</Read>;
}

function WholeBatch({ batch, at }: { readonly batch: Batch; readonly at: number }) {
  const { pages } = useWords();
  const { id, account, state, totals, uploadedBy, contentHash } = batch;
  const needs = Object.fromEntries(Object.entries(totals.countries).map(([country, { xof }]) => [country, xof]));
  return (
    <>
      <Summary kind="batch" state={state} large={<Money xof={totals.xof} />} at={at} facts={useFacts(batch)} />
      {state === 'awaiting_approval' && <Funds account={account} needs={needs} />}
      <Warnings batch={batch} />
      <Section title={pages.approvals.toWhom}>
        <Sums name={pages.approvals.country} sums={totals.countries} of={totals} nameOf={countryIn} />
        <Sums name={pages.approvals.wallet} sums={totals.modes} of={totals} nameOf={walletIn} />
      </Section>
      <People id={id} />
      <Deciding
        kind="batch"
        id={id}
        state={state}
        askedBy={[uploadedBy]}
        total={totals.xof}
        unit="xof"
        hash={contentHash}
      />
    </>
  );
}

function useFacts({
  fileName,
  retryOf,
  totals,
  uploadedBy,
  account,
  createdAt,
  notBefore,
  notify,
  expiresAt,
}: Batch) {
  const { pages, paying } = useWords();
  const forms = useFormWords();
  const says = pages.operation.facts;
  const facts: NamedFact[] = [[says.fileName, fileName ?? paying.noFile]];
  if (retryOf !== undefined) {
    const before = (
      <Link to={pageOf(retryOf)} className="link">
        {retryOf}
      </Link>
    );
    facts.push([says.retryOf, before]);
  }
  facts.push(
    [pages.approvals.payments, <Count value={totals.count} />],
    [says.uploadedBy, uploadedBy],
    [says.account, account],
    [says.createdAt, <Moment at={createdAt} seconds />],
  );
  if (notBefore !== null) facts.push([says.notBefore, <Moment at={notBefore} seconds />]);
  for (const on of notify?.on ?? []) facts.push(told(forms, on, notify));
  if (expiresAt !== null) facts.push([pages.approvals.until, <Moment at={expiresAt} seconds />]);
  return facts;
}

/** The SMS that each payee gets about this end. */
function told(forms: FormWords, on: string, notify: Batch['notify']): NamedFact {
  const { text = '', failedText = text } = notify ?? {};
  return on === 'failed' ? [forms.notifyFailed, failedText] : [forms.notify, text];
}

/** All recipients with the file's data and their recent payments. */
function People({ id }: { readonly id: string }) {
  const { paying } = useWords();
  const recent = useAsk('listRecentPayments', { id });
  const ofRow = new Map(recent.data?.items.map((one) => [one.row, one] as const));
  return (
    <>
      {recent.data && <RecentOfBatch recent={recent.data} />}
      <Section title={paying.rows}>
        <BatchRows
          id={id}
          first={FIRST_ROWS}
          beside={({ row }) => {
            const one = ofRow.get(row);
            return one && <RecentOfRow of={one} />;
          }}
        />
      </Section>
    </>
  );
}
