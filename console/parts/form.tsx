/** The frame of every form on a page: fields, a check with each problem beside its field, a last look, and one button. */
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Answer, Asked, Judged, Judgement } from '../asking/ask.ts';
import type { Form } from '../asking/form.ts';
import { pageOf } from '../asking/kinds.ts';
import { Ended } from './act.tsx';
import { readWrittenXof } from '../../src/lib/money.ts';
import { countIn, moneyIn } from './figures.tsx';
import { Field } from './field.tsx';
import { useFormWords } from './form-words.ts';
import { useWords } from './language.tsx';
import { Notice, Section } from './page.tsx';

interface AskingProps<Id extends Judged> {
  readonly form: Form<Id>;
  readonly asked: Asked<Id>;
  /** The pointers that have a field: other problems are shown above the fields. */
  readonly pointers: readonly string[];
  readonly fields: ReactNode;
  /** A summary of the request, shown before it is sent. */
  readonly summary: (judged: Judgement<Id>) => ReactNode;
  readonly send: (judged: Judgement<Id>) => string;
  /** The address of an empty form of this kind. */
  readonly another: string;
}

/** After it was accepted the page of what was made takes the place of the form, so that no way back sends it again. */
export function Asking<Id extends Judged>(given: AskingProps<Id>) {
  const { form, asked } = given;
  const [, go] = useLocation();
  const send = async (): Promise<void> => {
    const made = (await form.send(asked)) as (Answer<Id> & { readonly id?: string }) | undefined;
    if (made?.id !== undefined) go(pageOf(made.id), { replace: true });
  };
  if (form.existing !== undefined) return <Already {...given} id={form.existing} />;
  if (form.judged === undefined) return <Filling {...given} />;
  return <Looking {...given} judged={form.judged} onSend={() => void send()} />;
}

function Filling<Id extends Judged>({ form, asked, pointers, fields }: AskingProps<Id>) {
  const says = useFormWords();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!form.isUnderWay) void form.check(asked);
  };
  return (
    // relais reports missing fields, with everything else that does not fit.
    <form className="max-w-2xl" noValidate onSubmit={submit} data-form="fields">
      <section className="sheet p-5">
        <NotFitting form={form} pointers={pointers} />
        {fields}
        <button type="submit" className="button button-main mt-5" data-act="check" disabled={form.isUnderWay}>
          {says.check}
        </button>
      </section>
    </form>
  );
}

/** Read first after a check: how much does not fit, and what of it has no field here. */
function NotFitting<Id extends Judged>({ form: { end }, pointers }: Pick<AskingProps<Id>, 'form' | 'pointers'>) {
  const says = useFormWords();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end?.is === 'refused') place.current?.focus();
  }, [end]);
  if (end?.is !== 'refused') return <Ended end={end} />;
  const problems = end.error.problem.problems ?? [];
  if (problems.length === 0) return <Ended end={end} />;
  return (
    <div
      ref={place}
      tabIndex={-1}
      role="alert"
      className="mb-4 scroll-mt-20 rounded-lg bg-bad-soft px-3 py-2 text-bad"
      data-end="refused"
    >
      <p className="font-medium">{says.notFitting(String(problems.length))}</p>
      {problems
        .filter(({ pointer }) => !pointers.includes(pointer))
        .map(({ pointer, message }) => (
          <p key={pointer + message}>{message}</p>
        ))}
    </div>
  );
}

interface LookingProps<Id extends Judged> extends AskingProps<Id> {
  readonly judged: Judgement<Id>;
  readonly onSend: () => void;
}

function Looking<Id extends Judged>({ form, judged, summary, send, onSend }: LookingProps<Id>) {
  const says = useFormWords();
  const { end, isUnderWay, change } = form;
  return (
    <div className="max-w-2xl" data-form="look">
      <Section title={says.look}>
        {summary(judged)}
        <Follows judged={judged as object} />
        {end?.is === 'not known' ? (
          <p role="alert" className="my-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-end="not known">
            {says.notKnown}
          </p>
        ) : (
          <Ended end={end} />
        )}
        <div className="mt-5 flex flex-wrap gap-3">
          <button type="button" className="button" data-act="change" disabled={isUnderWay} onClick={change}>
            {says.change}
          </button>
          <button type="button" className="button button-main" data-act="send" disabled={isUnderWay} onClick={onSend}>
            {send(judged)}
          </button>
        </div>
      </Section>
    </div>
  );
}

/** Warnings that do not refuse the request, and whether another person must approve it. */
function Follows({ judged }: { readonly judged: object }) {
  const says = useFormWords();
  const { warnings = [], state } = judged as { readonly warnings?: readonly string[]; readonly state?: string };
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="mt-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-warning="">
          {warning}
        </p>
      ))}
      <p className="mt-3" data-follows={state}>
        {state === 'awaiting_approval' ? says.toApproval : says.atOnce}
      </p>
    </>
  );
}

interface AlreadyProps<Id extends Judged> extends Pick<AskingProps<Id>, 'form' | 'another'> {
  readonly id: string;
}

/** The name of this form was used: a reload, a second tab, or an answer that was lost. */
export function Already<Id extends Judged>({ form, id, another }: AlreadyProps<Id>) {
  const says = useFormWords();
  return (
    <Notice
      title={says.already}
      after={
        <div className="mt-2 flex flex-wrap gap-3">
          <Link to={pageOf(id)} className="button button-main" data-already={id}>
            {says.see}
          </Link>
          <Link to={another} className="button" onClick={form.change}>
            {says.another}
          </Link>
        </div>
      }
    >
      {says.alreadyMeans}
    </Notice>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly wrong: string | undefined;
}

/** An amount is shown with grouped digits when the user leaves the field, so that an extra zero is easy to see. */
export function AmountField({ value, ...given }: AmountProps) {
  const words = useWords();
  const says = useFormWords();
  const xof = amountOf(value);
  return (
    <Field
      {...given}
      value={value}
      hint={typeof xof === 'number' ? moneyIn(words, xof) : says.amountHint}
      inputMode="numeric"
      autoComplete="off"
      data-field="amount"
      onBlur={() => typeof xof === 'number' && given.set(countIn(words, xof))}
    />
  );
}

/** The number of XOF. A text that is no amount stays as written, and the API reports the problem. */
export function amountOf(written: string): number | string {
  return readWrittenXof(written, { thousands: true }) ?? written.trim();
}

/** Fields that were left empty are left out. */
export function filledIn<T extends Readonly<Record<string, unknown>>>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<T>;
}

/** A time of a `datetime-local` field, by the clock of this device. */
export const momentOf = (written: string): string => (written === '' ? '' : new Date(written).toISOString());
