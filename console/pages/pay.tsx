/** Paying one person: what the approver will see, judged by relais before anything is asked for. */
import { useState } from 'react';
import { useForm, useFormName } from '../asking/form.ts';
import { useSession } from '../asking/session.tsx';
import { AccountChoice, Field } from '../parts/field.tsx';
import { Moment, Money, moneyIn } from '../parts/figures.tsx';
import { AmountField, Asking, amountOf, filledIn, momentOf } from '../parts/form.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Wallet, countryOfMode, phoneOf } from '../parts/wallet.tsx';
import { Funds, RecentOfPerson } from './approval-money.tsx';
import { Fact } from './operation-facts.tsx';
import { WalletField } from './pay-wallet.tsx';

const ADDRESS = '/pay';

export function Pay() {
  const { pay } = useFormWords();
  const name = useFormName();
  return (
    <Page title={pay.title}>
      <PayWays />
      {name !== undefined && <OnePayment key={name} name={name} />}
    </Page>
  );
}

export function PayWays() {
  const { pay } = useFormWords();
  return (
    <Tabs
      label={pay.title}
      of={[
        [ADDRESS, pay.ways.one],
        ['/pay/file', pay.ways.file],
      ]}
    />
  );
}

const EMPTY = {
  account: '',
  withdrawMode: '',
  accountAlias: '',
  amount: '',
  payeeName: '',
  purpose: '',
  reference: '',
  notBefore: '',
  notify: '',
  notifyFailed: '',
};
type Written = typeof EMPTY;

const POINTERS = [...Object.keys(EMPTY).map((name) => `/${name}`), '/notify/text', '/notify/failedText'];

const bodyOf = ({ amount, notBefore, notify, notifyFailed, ...texts }: Written) => ({
  ...filledIn({ ...texts, amount: amountOf(amount), notBefore: momentOf(notBefore) }),
  ...(notify === '' && notifyFailed === '' ? {} : { notify: notifyOf(notify, notifyFailed) }),
});

/** A text for one state alone is sent for no other. */
function notifyOf(paid: string, failed: string) {
  const on = [...(paid === '' ? [] : ['succeeded']), ...(failed === '' ? [] : ['failed'])];
  return { text: paid === '' ? failed : paid, on, ...(paid === '' || failed === '' ? {} : { failedText: failed }) };
}

function OnePayment({ name }: { readonly name: string }) {
  const words = useWords();
  const { pay } = useFormWords();
  const { session } = useSession();
  const form = useForm('createDisbursement');
  const [written, write] = useState<Written>({
    ...EMPTY,
    account: session.accounts?.[0] ?? 'main',
    reference: `pay-${name.slice(0, 8)}`,
  });
  const set = (part: Partial<Written>): void => write({ ...written, ...part });
  const body = bodyOf(written);
  const total = moneyIn(words, Number(body.amount ?? 0));
  return (
    <Asking
      form={form}
      asked={{ idempotencyKey: name, body: body as never }}
      pointers={POINTERS}
      fields={<Fields written={written} set={set} wrong={form.wrong} />}
      summary={() => <Summary body={body} account={written.account} />}
      send={({ state }) => (state === 'awaiting_approval' ? pay.submit(total) : pay.send(total))}
      another={ADDRESS}
    />
  );
}

interface FieldsProps {
  readonly written: Written;
  readonly set: (part: Partial<Written>) => void;
  readonly wrong: (pointer: string) => string | undefined;
}

function Fields({ written, set, wrong }: FieldsProps) {
  const says = useFormWords();
  const { pay } = says;
  const field = (name: keyof Written) => ({
    value: written[name],
    set: (value: string) => set({ [name]: value }),
    wrong: wrong(`/${name}`),
    autoComplete: 'off',
  });
  return (
    <>
      <AccountChoice account={written.account} choose={(account) => set({ account })} />
      <WalletField label={pay.wallet} {...field('withdrawMode')} />
      {written.withdrawMode === 'service' ? (
        <Field label={pay.accountAtProvider} {...field('accountAlias')} />
      ) : (
        <Field label={pay.phone} hint={pay.phoneHint} type="tel" {...field('accountAlias')} />
      )}
      <AmountField label={says.amount} {...field('amount')} />
      <Field label={says.optional(pay.payeeName)} hint={pay.payeeNameHint} {...field('payeeName')} />
      <Field label={says.optional(pay.purpose)} hint={pay.purposeHint} {...field('purpose')} />
      <Field label={says.reference} hint={says.referenceHint} {...field('reference')} />
      <Field
        label={says.optional(says.notBefore)}
        hint={says.notBeforeHint}
        type="datetime-local"
        {...field('notBefore')}
      />
      <Field
        label={says.optional(says.notify)}
        hint={says.notifyHint}
        {...field('notify')}
        wrong={wrong('/notify/text') ?? wrong('/notify')}
      />
      <Field
        label={says.optional(says.notifyFailed)}
        {...field('notifyFailed')}
        wrong={wrong('/notify/failedText')}
      />
    </>
  );
}

interface SummaryProps {
  readonly body: ReturnType<typeof bodyOf>;
  readonly account: string;
}

function Summary({ body, account }: SummaryProps) {
  const says = useFormWords();
  const { pay } = says;
  const { withdrawMode = '', accountAlias = '', payeeName, purpose, reference, notBefore, notify } = body;
  const amount = Number(body.amount);
  const country = countryOfMode(withdrawMode);
  return (
    <>
      <p className="text-3xl font-semibold">
        <Money xof={amount} />
      </p>
      <dl className="my-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        <Fact
          name={pay.to}
          is={[payeeName, phoneOf(withdrawMode, accountAlias) ?? accountAlias].filter(Boolean).join(' · ')}
        />
        <Fact name={pay.wallet} is={<Wallet mode={withdrawMode} />} />
        {purpose !== undefined && <Fact name={pay.purpose} is={purpose} />}
        <Fact name={pay.when} is={notBefore === undefined ? pay.asSoonAs : <Moment at={notBefore} />} />
        <Fact name={says.reference} is={reference} />
        {notify && <Fact name={says.notify} is={[notify.text, notify.failedText].filter(Boolean).join(' · ')} />}
      </dl>
      {country !== undefined && <Funds account={account} needs={{ [country]: amount }} />}
      <RecentOfPerson withdrawMode={withdrawMode} accountAlias={accountAlias} />
    </>
  );
}
