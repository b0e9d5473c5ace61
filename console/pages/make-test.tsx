/** A test SMS: a single message, not part of the campaign. */
import { type FormEvent, useId, useState } from 'react';
import { useAct } from '../asking/acts.ts';
import { useNamesOnce } from '../asking/named-once.ts';
import { useAsk } from '../asking/queries.ts';
import { Ended } from '../parts/act.tsx';
import { useWords } from '../parts/language.tsx';
import { State } from '../parts/state.tsx';
import { type Draft, useMaking } from './make-draft.ts';
import { Judged, Onward } from './make-parts.tsx';

export function TestStep({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const first = draft.kept.report?.preview?.find(({ why }) => why.includes('first'));
  return (
    <>
      <Judged draft={draft}>
        <section className="sheet max-w-2xl p-5">
          <p className="mb-4">{says.test.says}</p>
          {first && draft.campaign.text !== '' ? (
            <Trying draft={draft} text={first.text} />
          ) : (
            <p>{draft.campaign.text === '' ? says.text.needed : says.test.none}</p>
          )}
        </section>
      </Judged>
      <p className="mt-3 text-sm text-quiet">{says.test.skip}</p>
      <Onward draft={draft} step="test" />
    </>
  );
}

/** Removes separators between the digits. */
const plain = (number: string): string => number.replace(/[\s().-]/g, '').replace(/^00/, '+');

function Trying({ draft, text }: { readonly draft: Draft; readonly text: string }) {
  const { says } = useMaking();
  const { act, end, isUnderWay } = useAct('sendMessages');
  const field = useId();
  const [number, setNumber] = useState('');
  const [sent, setSent] = useState<{ readonly id: string | null; readonly to: string }>();
  const { nameOf, answered } = useNamesOnce();
  const { from, account } = draft.campaign;
  const to = plain(number);
  const isRight = /^\+[1-9]\d{7,14}$/.test(to);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isRight) return;
    const body = { to, text, account, ...(from ? { from } : {}) };
    const given = await act({ idempotencyKey: nameOf(body), body });
    const [one] = given?.items ?? [];
    if (!one) return;
    setSent({ id: one.id, to });
    answered(body);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p className="mb-4 max-w-md rounded-2xl rounded-bl-sm bg-sunk px-4 py-3 break-words whitespace-pre-wrap">
        {text}
      </p>
      <label htmlFor={field} className="mb-1 block font-medium">
        {says.test.number}
      </label>
      <input
        id={field}
        type="tel"
        autoComplete="tel"
        className="field max-w-64"
        aria-describedby={`${field}-hint`}
        value={number}
        onChange={({ target }) => setNumber(target.value)}
      />
      <p id={`${field}-hint`} className="mt-1 text-sm text-quiet">
        {says.test.numberHint}
      </p>
      {end?.is !== 'done' && <Ended end={end} />}
      {sent && <Sent id={sent.id} to={sent.to} />}
      <button type="submit" className="button button-main mt-3" data-test-send="" disabled={!isRight || isUnderWay}>
        {sent ? says.test.again : says.test.send}
      </button>
    </form>
  );
}

function Sent({ id, to }: { readonly id: string | null; readonly to: string }) {
  const { says } = useMaking();
  const { kinds } = useWords();
  const message = useAsk('getMessage', { id: id ?? '' }, { enabled: id !== null, everyMs: 2_000 });
  return (
    <p role="status" className="mt-3 flex flex-wrap items-center gap-3" data-test={message.data?.state ?? ''}>
      {says.test.sent(to)}
      {message.data && (
        <>
          <span className="sr-only">{kinds.message}</span>
          <State kind="message" state={message.data.state} />
        </>
      )}
    </p>
  );
}
