/** The possible decisions, the effect of each, and the required reason. */
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Asked } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import type { Listed } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { Ended } from '../parts/act.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { isTyping } from '../shell/search-field.tsx';
import type { Words } from '../words/words.ts';

type Outcome = keyof Words['pages']['review']['outcomes'];

/** The outcomes of each kind in openapi.json. */
const OUTCOMES: Readonly<Partial<Record<Listed, readonly Outcome[]>>> = {
  disbursement: ['succeeded', 'failed', 'resubmit', 'cancelled', 'reversed'],
  direct_credit: ['succeeded', 'failed'],
  invoice: ['completed', 'cancelled', 'failed'],
  payment_request: ['completed', 'failed'],
};

const ACTS = {
  disbursement: 'resolveDisbursement',
  direct_credit: 'resolveDirectCredit',
  invoice: 'resolveInvoice',
  payment_request: 'resolvePaymentRequest',
} as const;

interface VerdictProps {
  readonly kind: Listed;
  readonly id: string;
  readonly onDecided: () => void;
}

export function Verdict({ kind, id, onDecided }: VerdictProps) {
  const { pages } = useWords();
  const { may } = useSession();
  const says = pages.review;
  return (
    <Section title={says.verdict}>
      {may('approve') ? (
        <Form kind={kind} id={id} onDecided={onDecided} />
      ) : (
        <p data-refusal="role">{says.lookOnly}</p>
      )}
    </Section>
  );
}

/** A digit selects a decision and moves to the field for the reason. */
function useDigits(outcomes: readonly Outcome[], choose: (outcome: Outcome) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const outcome = outcomes[Number(event.key) - 1];
      if (outcome === undefined || isTyping(event)) return;
      event.preventDefault();
      choose(outcome);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

function Form({ kind, id, onDecided }: VerdictProps) {
  const { pages } = useWords();
  const says = pages.review;
  const outcomes = OUTCOMES[kind] ?? [];
  const [outcome, setOutcome] = useState<Outcome>();
  const [note, setNote] = useState('');
  const [transactionId, setTransactionId] = useState('');
  const noteField = useRef<HTMLTextAreaElement>(null);
  const { act, end, isUnderWay } = useAct(ACTS[kind as 'disbursement']);
  useDigits(outcomes, (chosen) => {
    setOutcome(chosen);
    noteField.current?.focus();
  });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (outcome === undefined || isUnderWay) return;
    const said =
      outcome === 'succeeded' && transactionId.trim() !== '' ? { transactionId: transactionId.trim() } : {};
    const body = { outcome, note: note.trim(), ...said } as Asked<'resolveDisbursement'>['body'];
    if (await act({ id, ...(body ? { body } : {}) })) onDecided();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Choices outcomes={outcomes} chosen={outcome} choose={setOutcome} />
      {outcome === 'succeeded' && kind !== 'invoice' && (
        <TextField name={says.transaction} hint={says.transactionHint} value={transactionId} set={setTransactionId} />
      )}
      <NoteField value={note} set={setNote} field={noteField} />
      {outcome !== undefined && (
        <p className="mt-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-follows={outcome}>
          {says.outcomes[outcome].follows}
        </p>
      )}
      <Ended end={end} />
      {end?.is !== 'not known' && (
        <button
          type="submit"
          className="button button-main mt-4 w-full"
          disabled={outcome === undefined || note.trim() === '' || isUnderWay}
        >
          {isUnderWay ? says.asking : says.decide}
        </button>
      )}
    </form>
  );
}

interface ChoicesProps {
  readonly outcomes: readonly Outcome[];
  readonly chosen: Outcome | undefined;
  readonly choose: (outcome: Outcome) => void;
}

function Choices({ outcomes, chosen, choose }: ChoicesProps) {
  const { pages } = useWords();
  const says = pages.review;
  return (
    <fieldset>
      <legend className="mb-2 text-quiet">{says.whatBecame}</legend>
      <div className="space-y-2">
        {outcomes.map((outcome, index) => (
          <label
            key={outcome}
            className="flex min-h-11 items-start gap-3 rounded-lg border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="outcome"
              className="mt-1.5 accent-accent"
              checked={chosen === outcome}
              onChange={() => choose(outcome)}
            />
            <span className="flex-1">
              <span className="font-medium">{says.outcomes[outcome].name}</span>
              <span className="block text-sm text-quiet">{says.outcomes[outcome].when}</span>
            </span>
            <kbd className="rounded border border-line px-1.5 text-sm text-quiet">{index + 1}</kbd>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface TextFieldProps {
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  readonly set: (text: string) => void;
}

function TextField({ name, hint, value, set }: TextFieldProps) {
  const field = useId();
  return (
    <div className="mt-4">
      <label htmlFor={field} className="mb-1 block font-medium">
        {name}
      </label>
      <input
        id={field}
        className="field"
        value={value}
        aria-describedby={`${field}-hint`}
        onChange={({ target }) => set(target.value)}
      />
      <p id={`${field}-hint`} className="mt-1 text-sm text-quiet">
        {hint}
      </p>
    </div>
  );
}

interface NoteProps extends Pick<TextFieldProps, 'value' | 'set'> {
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

function NoteField({ value, set, field }: NoteProps) {
  const { pages } = useWords();
  const says = pages.review;
  const id = useId();
  return (
    <div className="mt-4">
      <label htmlFor={id} className="mb-1 block font-medium">
        {says.note}
      </label>
      <textarea
        ref={field}
        id={id}
        rows={3}
        className="field"
        required
        maxLength={500}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={({ target }) => set(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <p id={`${id}-hint`} className="mt-1 text-sm text-quiet">
        {says.noteHint}
      </p>
    </div>
  );
}

/** Whether the rest of a file is paid is an approval. */
export function BatchVerdict({ id }: { readonly id: string }) {
  const { pages } = useWords();
  const says = pages.review;
  return (
    <Section title={says.verdict}>
      <p className="mb-4">{says.batch}</p>
      <Link to={`/approvals/${id}`} className="button button-main">
        {pages.operation.toApproval}
      </Link>
    </Section>
  );
}
