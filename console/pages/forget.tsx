/** Erasure of personal data: what is removed, what stays, what is irreversible; step by step until the end. */
import { type FormEvent, useState } from 'react';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { Ended } from '../parts/act.tsx';
import { Field } from '../parts/field.tsx';
import { countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Section } from '../parts/page.tsx';

type Purged = Answer<'purgePerson'>;
type Found = Purged['found'];

interface Walked {
  readonly phone: string;
  readonly found: Found;
  readonly open: number;
  readonly isOver: boolean;
}

export function Forget() {
  const { shell, desk } = useWords();
  const says = desk.forget;
  const [walked, setWalked] = useState<Walked>();
  return (
    <Page title={shell.forget}>
      <div className="grid gap-5 lg:grid-cols-2">
        <Section title={says.what}>
          <What title={says.goes} lines={says.goesLines} />
          <What title={says.stays} lines={says.staysLines} />
          <What title={says.never} lines={says.neverLines} />
        </Section>
        <div>
          <Section title={says.whose}>
            <Purge onWalked={setWalked} />
          </Section>
          {walked && <Result walked={walked} />}
        </div>
      </div>
    </Page>
  );
}

function What({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <>
      <h3 className="mt-3 font-semibold first:mt-0">{title}</h3>
      <ul className="list-disc pl-5">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

const NOTHING: Found = {
  messages: 0,
  payments: 0,
  recipients: 0,
  files: 0,
  intakeJobs: 0,
  events: 0,
  optOuts: 0,
};

const sum = (one: Found, other: Found): Found => ({
  messages: one.messages + other.messages,
  payments: one.payments + other.payments,
  recipients: one.recipients + other.recipients,
  files: one.files + other.files,
  intakeJobs: one.intakeJobs + other.intakeJobs,
  events: one.events + other.events,
  optOuts: one.optOuts + other.optOuts,
});

/** A step starts the next one; after an interruption the whole erasure can be repeated. */
function usePurge(onWalked: (walked: Walked) => void) {
  const doing = useAct('purgePerson');
  const purge = async (phone: string): Promise<boolean> => {
    let found: Found = NOTHING;
    let after: string | undefined;
    for (;;) {
      const walk: Purged | undefined = await doing.act({
        body: { phone, ...(after === undefined ? {} : { after }) },
      });
      if (walk === undefined) return false;
      found = sum(found, walk.found);
      after = walk.next;
      onWalked({ phone: walk.phone, found, open: walk.open, isOver: after === undefined });
      if (after === undefined) return true;
    }
  };
  return { ...doing, purge };
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

function Purge({ onWalked }: { readonly onWalked: (walked: Walked) => void }) {
  const { desk } = useWords();
  const says = desk.forget;
  const { purge, end, isUnderWay } = usePurge(onWalked);
  const [phone, setPhone] = useState('');
  const [again, setAgain] = useState('');
  const isSame = digitsOf(phone).length > 5 && digitsOf(again) === digitsOf(phone);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isSame || !(await purge(phone.trim()))) return;
    setPhone('');
    setAgain('');
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field label={says.number} hint={says.numberHint} type="tel" autoComplete="off" value={phone} set={setPhone} />
      <Field label={says.again} type="tel" autoComplete="off" value={again} set={setAgain} />
      {end?.is !== 'done' && <Ended end={end} />}
      <button
        type="submit"
        data-act="purgePerson"
        className="button button-grave mt-5"
        disabled={!isSame || isUnderWay}
      >
        {isUnderWay ? says.underWay : says.forget}
      </button>
    </form>
  );
}

function Result({ walked: { phone, found, open, isOver } }: { readonly walked: Walked }) {
  const words = useWords();
  const says = words.desk.forget;
  return (
    <Section title={isOver ? says.over(phone) : says.walking(phone)}>
      <div role="status" data-purged={isOver}>
        <dl className="grid grid-cols-[1fr_auto] gap-x-4">
          {(Object.keys(says.found) as (keyof Found)[]).map((name) => (
            <div key={name} className="contents">
              <dt>{says.found[name]}</dt>
              <dd className="text-right">{countIn(words, found[name])}</dd>
            </div>
          ))}
        </dl>
        {open > 0 && <p className="mt-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain">{says.open}</p>}
      </div>
    </Section>
  );
}
