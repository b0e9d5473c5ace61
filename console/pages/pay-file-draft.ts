/** A payment batch before its upload: how it is read, and what relais says of that. Nothing of it is stored. */
import { useState } from 'react';
import type { Asked, Judgement } from '../asking/ask.ts';
import { asRead } from '../asking/file.ts';
import { type Form, useForm } from '../asking/form.ts';
import { momentOf } from '../parts/form.tsx';

export type Checked = Judgement<'createBatch'>;
export type Table = NonNullable<Checked['table']>;

/** In the order in which they are asked for. */
export const FIELDS = ['accountAlias', 'amount', 'withdrawMode', 'payeeName', 'reference', 'purpose'] as const;
export type FieldName = (typeof FIELDS)[number];

const QUERY = {
  accountAlias: 'phoneColumn',
  amount: 'amountColumn',
  withdrawMode: 'walletColumn',
  payeeName: 'payeeColumn',
  reference: 'referenceColumn',
  purpose: 'purposeColumn',
} as const satisfies Record<FieldName, string>;

interface Said {
  readonly account: string;
  readonly sheet: string;
  readonly columns: Readonly<Partial<Record<FieldName, string>>>;
  readonly wallet: string;
  readonly wallets: Readonly<Record<string, string>>;
  readonly referencePrefix: string;
  readonly thousands: boolean;
  readonly takeHidden: boolean;
  readonly charset: string;
  readonly leaveOut: readonly number[];
  readonly notBefore: string;
  /** The SMS to each payee: of a success, and of a failure. */
  readonly notify: string;
  readonly notifyFailed: string;
}

/** The choices made for one file do not apply to another file. */
const saidOf = (account: string, file: File | undefined): Said => ({
  account,
  sheet: '',
  columns: {},
  wallet: '',
  wallets: {},
  referencePrefix: file === undefined ? '' : prefixOf(file.name, new Date()),
  thousands: false,
  takeHidden: false,
  charset: '',
  leaveOut: [],
  notBefore: '',
  notify: '',
  notifyFailed: '',
});

/** `Salaires Novembre.xlsx` → `salaires-novembre-2026-11` */
function prefixOf(name: string, now: Date): string {
  const plain = name
    .replace(/\.\w{1,6}$/, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${plain === '' ? 'paiements' : plain}-${now.toISOString().slice(0, 7)}`;
}

function askedOf(file: File, said: Said, idempotencyKey: string): Asked<'createBatch'> {
  const { account, columns, wallets, charset, leaveOut, notBefore, notify, notifyFailed, ...others } = said;
  const named = Object.entries(columns).map(([field, heading]) => [QUERY[field as FieldName], heading]);
  const bytes = asRead(file);
  return {
    idempotencyKey,
    account,
    name: file.name.slice(0, 100),
    notBefore: momentOf(notBefore),
    ...notifyIn(notify, notifyFailed),
    ...others,
    ...Object.fromEntries(named),
    wallets: Object.entries(wallets)
      .map(([name, mode]) => `${name}:${mode}`)
      .join(','),
    leaveOut: leaveOut.join(','),
    file: charset === '' ? bytes : bytes.slice(0, bytes.size, `${bytes.type}; charset=${charset}`),
  };
}

/** A text for one state alone is sent for no other. */
function notifyIn(paid: string, failed: string) {
  const on = [...(paid === '' ? [] : ['succeeded']), ...(failed === '' ? [] : ['failed'])];
  return {
    notify: paid === '' ? failed : paid,
    notifyFailedText: paid === '' ? '' : failed,
    notifyOn: on.join(','),
  };
}

export interface FileDraft {
  readonly form: Form<'createBatch'>;
  readonly file: File | undefined;
  readonly said: Said;
  readonly choose: (file: File) => void;
  /** Says more of how it is read, and has it checked again. */
  readonly say: (more: Partial<Said>) => void;
  /** The text being typed: the API checks it when the user leaves the field. */
  readonly type: (more: Partial<Said>) => void;
  readonly send: () => ReturnType<Form<'createBatch'>['send']>;
}

export function useFileDraft(name: string, account: string): FileDraft {
  const form = useForm('createBatch');
  const [file, setFile] = useState<File>();
  const [said, setSaid] = useState(() => saidOf(account, undefined));
  const check = (of: File, how: Said): void => {
    setSaid(how);
    void form.check(askedOf(of, how, name));
  };
  return {
    form,
    file,
    said,
    choose: (chosen) => {
      setFile(chosen);
      check(chosen, saidOf(said.account, chosen));
    },
    say: (more) => {
      const how = { ...said, ...more };
      if (file) check(file, how);
      else setSaid(how);
    },
    type: (more) => setSaid({ ...said, ...more }),
    send: async () => (file ? form.send(askedOf(file, said, name)) : undefined),
  };
}
