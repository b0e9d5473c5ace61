/** The link of an invoice or a payment request: to copy, and as one SMS of relais, whose reference is that of the link. */
import { useState } from 'react';
import { Link } from 'wouter';
import { useAct } from '../asking/acts.ts';
import { type AnyRow, pageOf, xofOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AskForm } from '../parts/act-form.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { moneyIn } from '../parts/figures.tsx';
import { Field, Labelled } from '../parts/field.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';

export function PaymentLink({ operation }: { readonly operation: AnyRow }) {
  const { link } = useFormWords();
  const { may } = useSession();
  const { url, state } = operation;
  if (typeof url !== 'string') return null;
  const isOpen = state === 'pending';
  return (
    <Section title={link.title}>
      <p className="mb-3 rounded-lg bg-sunk p-3 font-mono text-sm break-all select-all" data-link="">
        {url}
      </p>
      <div className="flex flex-wrap items-start gap-3">
        <CopyButton text={url} />
        {isOpen && may('enqueue-sms') && may('read') && <BySms operation={operation} url={url} />}
      </div>
    </Section>
  );
}

interface BySmsProps {
  readonly operation: AnyRow;
  readonly url: string;
}

/** A second hand, or a second press, finds the message that was sent. */
function BySms({ operation, url }: BySmsProps) {
  const words = useWords();
  const { link: says } = useFormWords();
  const { id, account = 'main' } = operation;
  const reference = `link-of-${id}`;
  const sent = useAsk('listMessages', { reference, account, limit: 1 }, { everyMs: 5_000 });
  const doing = useAct('sendMessages');
  const [to, setTo] = useState('');
  const [text, setText] = useState(() =>
    says.text(moneyIn(words, xofOf(operation) ?? 0).replace(/[\u00a0\u202f]/g, ' '), url),
  );
  const [message] = sent.data?.items ?? [];
  if (message !== undefined) {
    return (
      <p className="flex flex-wrap items-center gap-3" data-link-sent={message.id}>
        <Link to={pageOf(message.id)} className="link">
          {says.sentTo(message.to)}
        </Link>
        <State kind="message" state={message.state} />
      </p>
    );
  }
  if (sent.data === undefined) return null;
  return (
    <AskForm
      doing={doing}
      name="sendLink"
      label={says.bySms}
      isReady={to.trim() !== '' && text.includes(url)}
      onSend={() => doing.act({ body: { to: to.trim(), text, account, reference } })}
    >
      <Field label={says.phone} hint={says.phoneHint} type="tel" value={to} set={setTo} />
      <Labelled label={says.label} hint={text.includes(url) ? says.once : says.withoutLink}>
        {(told) => (
          <textarea
            {...told}
            className={`${told.className} min-h-32`}
            maxLength={1_600}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Labelled>
    </AskForm>
  );
}
