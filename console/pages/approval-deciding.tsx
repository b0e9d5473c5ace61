/** The decision itself. The user types the total, so that a mere click decides nothing. */
import { type FormEvent, useId, useState } from 'react';
import { type End, useAct } from '../asking/acts.ts';
import { pageOf } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst, Ended } from '../parts/act.tsx';
import { countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { Link } from 'wouter';
import { Rejecting } from './approval-rejecting.tsx';

interface DecidingProps {
  readonly kind: 'disbursement' | 'batch' | 'campaign';
  readonly id: string;
  readonly state: string;
  readonly askedBy: readonly string[];
  readonly total: number;
  readonly unit: 'xof' | 'recipients';
  /** The hash of the displayed content, which is what gets approved. */
  readonly hash: string;
}

export function Deciding(given: DecidingProps) {
  const { pages, ends } = useWords();
  const { may, me, session } = useSession();
  const says = pages.approvals;
  const { id, state, askedBy, hash } = given;
  const [opened] = useState(hash);
  const isOpen = state === 'awaiting_approval' || (given.kind === 'batch' && state === 'needs_review');
  const isMine = askedBy.includes(me) || askedBy.includes(session.name);
  return (
    <Section title={says.decide}>
      {!isOpen && (
        <p data-decided={state}>
          {says.over}{' '}
          <Link to={pageOf(id)} className="link">
            {says.seeIt}
          </Link>
        </p>
      )}
      {isOpen && !may('approve') && <p data-refusal="role">{says.lookOnly}</p>}
      {isOpen && may('approve') && isMine && <p data-refusal="other-person">{says.notYourOwn}</p>}
      {isOpen && hash !== opened && (
        <p role="alert" className="mb-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-changed="">
          {ends.rules['content-changed']}
        </p>
      )}
      {/* The typed total belongs to the earlier content. */}
      {isOpen && may('approve') && !isMine && <Approving key={hash} {...given} />}
      {isOpen && may('approve') && !isMine && <Rejecting kind={given.kind} id={id} />}
      {isOpen && may(given.kind === 'campaign' ? 'enqueue-sms' : 'enqueue-payments') && (
        <Dropping kind={given.kind} id={id} />
      )}
    </Section>
  );
}

/** One act for all three kinds, with different texts. */
function useApproving({ kind, id, hash }: DecidingProps) {
  const payment = useAct('approveDisbursement');
  const batch = useAct('approveBatch');
  const campaign = useAct('approveCampaign');
  const body = { contentHash: hash };
  if (kind === 'disbursement') return { ...payment, approve: () => payment.act({ id }) };
  if (kind === 'batch') return { ...batch, approve: () => batch.act({ id, body }) };
  return { ...campaign, approve: () => campaign.act({ id, body }) };
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

function Approving(given: DecidingProps) {
  const words = useWords();
  const says = words.pages.approvals;
  const { approve, end, isUnderWay } = useApproving(given);
  const field = useId();
  const [typed, setTyped] = useState('');
  const { total, unit } = given;
  const isRight = digitsOf(typed) === String(total);
  const whole = unit === 'xof' ? moneyIn(words, total) : says.people(countIn(words, total));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isRight) await approve();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p className="mb-3">{unit === 'xof' ? says.whatFollows : says.whatFollowsTexts}</p>
      <label htmlFor={field} className="mb-1 block font-medium">
        {unit === 'xof' ? says.typeTotal : says.typePeople}
      </label>
      <input
        id={field}
        className="field max-w-64 text-right text-lg"
        inputMode="numeric"
        autoComplete="off"
        aria-describedby={`${field}-hint`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <p id={`${field}-hint`} className="mt-1 min-h-6 text-sm text-quiet" role="status">
        {typed !== '' && (isRight ? says.fits : says.doesNotFit)}
      </p>
      <Ended end={end} />
      <Submit end={end} label={says.approve(whole)} isOpen={isRight && !isUnderWay} />
    </form>
  );
}

function Submit({
  end,
  label,
  isOpen,
}: {
  readonly end: End | undefined;
  readonly label: string;
  readonly isOpen: boolean;
}) {
  if (end?.is === 'not known') return null;
  return (
    <button type="submit" className="button button-main mt-2" disabled={!isOpen}>
      {label}
    </button>
  );
}

function Dropping({ kind, id }: Pick<DecidingProps, 'kind' | 'id'>) {
  const { pages } = useWords();
  const says = pages.approvals;
  const acts = {
    disbursement: useAct('cancelDisbursement'),
    batch: useAct('cancelBatch'),
    campaign: useAct('cancelCampaign'),
  };
  const doing = acts[kind];
  return (
    <div className="mt-6 border-t border-line pt-4">
      <AskFirst doing={doing} onYes={() => doing.act({ id })} label={says.drop} says={says.dropSays} look="grave" />
    </div>
  );
}
