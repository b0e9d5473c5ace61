/** One thing that waits for an approval: what, how much, for which beneficiaries, what is unusual; then the total, typed back. */
import type { ReactNode } from 'react';
import type { Answer } from '../asking/ask.ts';
import { kindOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { AsOf, Count, Moment, Money } from '../parts/figures.tsx';
import { Back } from '../parts/back.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import type { Kind } from '../words/states.ts';
import { Deciding } from './approval-deciding.tsx';
import { BatchRows, Sums, Warnings } from './approval-batch.tsx';
import { Cost, Hours, Recipients } from './campaign-facts.tsx';
import { Fact } from './operation-facts.tsx';

export function Approval({ id }: { readonly id: string }) {
  const { pages, kinds, parts, shell } = useWords();
  const kind = kindOf(id);
  const title = kind === undefined ? parts.notFoundTitle : pages.approvals.title(kinds[kind]);
  const back = <Back to="/approvals">{shell.approvals}</Back>;
  return (
    <Page title={title} above={back}>
      {kind === 'disbursement' && <OfPayment id={id} />}
      {kind === 'batch' && <OfBatch id={id} />}
      {kind === 'campaign' && <OfCampaign id={id} />}
      {kind !== 'disbursement' && kind !== 'batch' && kind !== 'campaign' && <Notice>{parts.notFound}</Notice>}
    </Page>
  );
}

interface SummaryProps {
  readonly kind: Kind;
  readonly state: string;
  readonly large: ReactNode;
  readonly facts: readonly (readonly [name: string, is: ReactNode])[];
  readonly at: number;
}

function Summary({ kind, state, large, facts, at }: SummaryProps) {
  return (
    <section className="sheet mb-5 p-5">
      <div className="mb-4 flex flex-wrap items-center gap-4">
        <span className="text-3xl font-semibold">{large}</span>
        <State kind={kind} state={state} large />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        {facts.map(([name, is]) => (
          <Fact key={name} name={name} is={is} />
        ))}
      </dl>
      <AsOf at={at} source="record" />
    </section>
  );
}

function OfPayment({ id }: { readonly id: string }) {
  const { pages } = useWords();
  const says = pages.operation.facts;
  const payment = useAsk('getDisbursement', { id }, { everyMs: 10_000 });
  return (
    <Read of={payment}>
      {(read, at) => (
        <>
          <Summary
            kind="disbursement"
            state={read.state}
            large={<Money xof={read.amount} />}
            at={at}
            facts={[
              [says.accountAlias, read.accountAlias],
              [says.withdrawMode, read.withdrawMode],
              [says.reference, read.reference ?? '–'],
              [says.account, read.account],
              [says.createdAt, <Moment at={read.createdAt} seconds />],
            ]}
          />
          <Deciding
            kind="disbursement"
            id={id}
            state={read.state}
            askedBy={[]}
            total={read.amount}
            unit="xof"
            hash=""
          />
        </>
      )}
    </Read>
  );
}

function OfBatch({ id }: { readonly id: string }) {
  const batch = useAsk('getBatch', { id }, { everyMs: 10_000 });
  return <Read of={batch}>{(read, at) => <WholeBatch batch={read} at={at} />}</Read>;
}

function WholeBatch({ batch, at }: { readonly batch: Answer<'getBatch'>; readonly at: number }) {
  const { pages } = useWords();
  const says = pages.operation.facts;
  const { id, state, totals, uploadedBy, contentHash } = batch;
  return (
    <>
      <Summary
        kind="batch"
        state={state}
        large={<Money xof={totals.xof} />}
        at={at}
        facts={[
          [pages.approvals.payments, <Count value={totals.count} />],
          [says.uploadedBy, uploadedBy],
          [says.account, batch.account],
          [says.createdAt, <Moment at={batch.createdAt} seconds />],
          ...(batch.expiresAt === null
            ? []
            : [[pages.approvals.until, <Moment at={batch.expiresAt} seconds />] as const]),
        ]}
      />
      <Warnings batch={batch} />
      <Section title={pages.approvals.toWhom}>
        <Sums name={pages.approvals.country} sums={totals.countries} of={totals} />
        <Sums name={pages.approvals.wallet} sums={totals.modes} of={totals} />
      </Section>
      <BatchRows id={id} />
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

function OfCampaign({ id }: { readonly id: string }) {
  const campaign = useAsk('getCampaign', { id }, { everyMs: 10_000 });
  return <Read of={campaign}>{(read, at) => <WholeCampaign campaign={read} at={at} />}</Read>;
}

function WholeCampaign({ campaign, at }: { readonly campaign: Answer<'getCampaign'>; readonly at: number }) {
  const { pages } = useWords();
  const says = pages.campaign;
  const { id, name, state, recipients, text, askedBy, contentHash, segments, sendAt, from, perSecond } = campaign;
  return (
    <>
      <Summary
        kind="campaign"
        state={state}
        large={name}
        at={at}
        facts={[
          [says.recipients, <Recipients of={campaign} />],
          [says.segments, <Count value={segments} />],
          [says.cost, <Cost of={campaign} />],
          [says.askedBy, askedBy.join(', ')],
          [pages.operation.facts.account, campaign.account],
          [says.sender, from ?? says.senderOfAccount],
          [says.begins, sendAt === null ? says.atOnce : <Moment at={sendAt} seconds />],
          [says.quietHours, <Hours of={campaign} />],
          [says.pace, perSecond === null ? says.noPace : says.rate(String(perSecond))],
        ]}
      />
      <Section title={says.text}>
        <p className="rounded-lg bg-sunk p-3 whitespace-pre-wrap">{text}</p>
      </Section>
      <Deciding
        kind="campaign"
        id={id}
        state={state}
        askedBy={askedBy}
        total={recipients}
        unit="recipients"
        hash={contentHash}
      />
    </>
  );
}
