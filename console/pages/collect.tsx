/** Collecting: an invoice or a payment request by a form, judged by relais before the link is made. */
import { useState } from 'react';
import { useForm, useFormName, type Wrong } from '../asking/form.ts';
import { useSession } from '../asking/session.tsx';
import { AccountChoice, Field, Labelled } from '../parts/field.tsx';
import { Money, moneyIn } from '../parts/figures.tsx';
import { AmountField, Asking, amountOf, filledIn } from '../parts/form.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Fact } from './operation-facts.tsx';

const INVOICE = '/collect';
const REQUEST = '/collect/request';

interface CollectProps {
  readonly way: string | undefined;
}

export function Collect({ way }: CollectProps) {
  const { collect } = useFormWords();
  const name = useFormName();
  const OfWay = way === 'request' ? PaymentRequest : Invoice;
  return (
    <Page title={collect.title}>
      <Tabs
        label={collect.title}
        of={[
          [INVOICE, collect.ways.invoice],
          [REQUEST, collect.ways.request],
        ]}
      />
      {name !== undefined && <OfWay key={name} name={name} />}
    </Page>
  );
}

function useWritten<T extends Readonly<Record<string, string>>>(empty: T) {
  const { session } = useSession();
  const [written, write] = useState({ ...empty, account: session.accounts?.[0] ?? 'main' });
  /** The properties of a field; `pointer` is its place in the request of the API. */
  const fieldsOf = (wrong: Wrong) => (name: keyof T & string, pointer: string) => ({
    value: written[name] ?? '',
    set: (value: string) => write({ ...written, [name]: value }),
    wrong: wrong(pointer),
    autoComplete: 'off',
  });
  return { written, fieldsOf, choose: (account: string) => write({ ...written, account }) };
}

interface NamedProps {
  readonly name: string;
}

const INVOICE_POINTERS = [
  '/totalAmount',
  '/store/name',
  '/description',
  '/customer/name',
  '/customer/phone',
  '/customer/email',
  '/reference',
];

function Invoice({ name }: NamedProps) {
  const words = useWords();
  const says = useFormWords();
  const { collect } = says;
  const form = useForm('createInvoice');
  const { written, fieldsOf, choose } = useWritten({
    amount: '',
    store: '',
    description: '',
    customerName: '',
    phone: '',
    email: '',
    reference: `inv-${name.slice(0, 8)}`,
  });
  const field = fieldsOf(form.wrong);
  const { amount, store, description, customerName, phone, email, reference, account } = written;
  const customer = filledIn({ name: customerName, phone, email });
  const body = filledIn({
    totalAmount: amountOf(amount),
    description,
    reference,
    account,
    store: filledIn({ name: store }),
    customer: Object.keys(customer).length === 0 ? '' : customer,
  });
  const xof = Number(body.totalAmount ?? 0);
  return (
    <Asking
      form={form}
      asked={{ idempotencyKey: name, body: body as never }}
      pointers={INVOICE_POINTERS}
      another={INVOICE}
      send={() => collect.send(moneyIn(words, xof))}
      fields={<InvoiceFields account={account} choose={choose} field={field} />}
      summary={() => (
        <Summary
          xof={xof}
          facts={[
            [collect.store, store],
            [collect.description, description],
            [collect.customerName, [customerName, phone, email].filter(Boolean).join(' · ')],
            [says.reference, reference],
          ]}
        />
      )}
    />
  );
}

interface InvoiceFieldsProps {
  readonly account: string;
  readonly choose: (account: string) => void;
  readonly field: (
    name: 'amount' | 'store' | 'description' | 'customerName' | 'phone' | 'email' | 'reference',
    pointer: string,
  ) => { readonly value: string; readonly set: (value: string) => void; readonly wrong: string | undefined };
}

function InvoiceFields({ account, choose, field }: InvoiceFieldsProps) {
  const says = useFormWords();
  const { collect } = says;
  return (
    <>
      <p className="mb-4 text-quiet">{collect.invoiceMeans}</p>
      <AccountChoice account={account} choose={choose} />
      <AmountField label={says.amount} {...field('amount', '/totalAmount')} />
      <Field label={collect.store} hint={collect.storeHint} {...field('store', '/store/name')} />
      <Field label={says.optional(collect.description)} {...field('description', '/description')} />
      <Field label={says.optional(collect.customerName)} {...field('customerName', '/customer/name')} />
      <Field
        label={says.optional(collect.customerPhone)}
        hint={collect.phoneHint}
        type="tel"
        {...field('phone', '/customer/phone')}
      />
      <Field label={says.optional(collect.email)} type="email" {...field('email', '/customer/email')} />
      <Field label={says.reference} hint={says.referenceHint} {...field('reference', '/reference')} />
    </>
  );
}

const REQUEST_POINTERS = ['/amount', '/phone', '/email', '/feesPaidBy', '/reference'];
const PAYERS = ['customer', 'merchant'] as const;

function PaymentRequest({ name }: NamedProps) {
  const words = useWords();
  const says = useFormWords();
  const { collect } = says;
  const form = useForm('createPaymentRequest');
  const { written, fieldsOf, choose } = useWritten({
    amount: '',
    phone: '',
    email: '',
    fees: 'customer',
    reference: `req-${name.slice(0, 8)}`,
  });
  const field = fieldsOf(form.wrong);
  const { amount, phone, email, fees, reference, account } = written;
  const body = filledIn({ amount: amountOf(amount), phone, email, feesPaidBy: fees, reference, account });
  const xof = Number(body.amount ?? 0);
  const payer = PAYERS.find((one) => one === fees) ?? 'customer';
  return (
    <Asking
      form={form}
      asked={{ idempotencyKey: name, body: body as never }}
      pointers={REQUEST_POINTERS}
      another={REQUEST}
      send={() => collect.send(moneyIn(words, xof))}
      fields={
        <>
          <p className="mb-4 text-quiet">{collect.requestMeans}</p>
          <AccountChoice account={account} choose={choose} />
          <AmountField label={says.amount} {...field('amount', '/amount')} />
          <Field label={collect.customerPhone} hint={collect.phoneHint} type="tel" {...field('phone', '/phone')} />
          <Field label={says.optional(collect.email)} type="email" {...field('email', '/email')} />
          <FeesField {...field('fees', '/feesPaidBy')} />
          <Field label={says.reference} hint={says.referenceHint} {...field('reference', '/reference')} />
        </>
      }
      summary={() => (
        <Summary
          xof={xof}
          facts={[
            [collect.customerPhone, [phone, email].filter(Boolean).join(' · ')],
            [collect.fees, collect.feesPaidBy[payer]],
            [says.reference, reference],
          ]}
        />
      )}
    />
  );
}

interface FeesProps {
  readonly value: string;
  readonly set: (value: string) => void;
  readonly wrong: string | undefined;
}

function FeesField({ value, set, wrong }: FeesProps) {
  const { collect } = useFormWords();
  return (
    <Labelled label={collect.fees} wrong={wrong}>
      {(told) => (
        <select {...told} value={value} onChange={({ target }) => set(target.value)}>
          {PAYERS.map((payer) => (
            <option key={payer} value={payer}>
              {collect.feesPaidBy[payer]}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface SummaryProps {
  readonly xof: number;
  readonly facts: readonly (readonly [name: string, is: string])[];
}

function Summary({ xof, facts }: SummaryProps) {
  return (
    <>
      <p className="text-3xl font-semibold">
        <Money xof={xof} />
      </p>
      <dl className="my-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        {facts
          .filter(([, is]) => is !== '')
          .map(([name, is]) => (
            <Fact key={name} name={name} is={is} />
          ))}
      </dl>
    </>
  );
}
