/** One item that waits for an approval: content, amount, recipients, warnings; then the typed total. */
import type { Answer } from '../asking/ask.ts';
import { kindOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { Count, Moment, Money } from '../parts/figures.tsx';
import { Back } from '../parts/back.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { Wallet, countryOfMode } from '../parts/wallet.tsx';
import { Deciding } from './approval-deciding.tsx';
import { Funds, RecentOfPerson } from './approval-money.tsx';
import { OfBatch } from './approval-of-batch.tsx';
import { type NamedFact, Summary } from './approval-summary.tsx';
import { Cost, Hours, Recipients } from './campaign-facts.tsx';
import { Night } from './campaign-night.tsx';

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

/** Only what the caller sent. */
function factsFor(all: readonly (readonly [name: string, is: string | undefined])[]): NamedFact[] {
  return all.flatMap(([name, is]): NamedFact[] => (is === undefined ? [] : [[name, is]]));
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
              ...factsFor([
                [says.payeeName, read.payeeName],
                [says.purpose, read.purpose],
              ]),
              [says.withdrawMode, <Wallet mode={read.withdrawMode} />],
              [says.reference, read.reference ?? '–'],
              [says.account, read.account],
              [says.createdAt, <Moment at={read.createdAt} seconds />],
            ]}
          />
          {read.state === 'awaiting_approval' && (
            <>
              <Funds
                account={read.account}
                needs={{ [countryOfMode(read.withdrawMode) ?? 'service']: read.amount }}
              />
              <RecentOfPerson withdrawMode={read.withdrawMode} accountAlias={read.accountAlias} />
            </>
          )}
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
      <Night of={campaign} />
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
