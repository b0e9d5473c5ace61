/** The actions on one operation, here or on other pages. */
import { Link } from 'wouter';
import { useAct } from '../asking/acts.ts';
import type { AnyRow, Listed } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { useWords } from '../parts/language.tsx';

/** Nothing was sent yet in these states. */
const UNSENT: readonly string[] = ['awaiting_approval', 'queued', 'held', 'created'];

interface ActsProps {
  readonly operation: AnyRow;
  readonly kind: Listed;
}

export function OperationActs({ operation: { id, state }, kind }: ActsProps) {
  const { pages } = useWords();
  const { may } = useSession();
  const says = pages.operation;
  return (
    <div className="mt-4 flex flex-wrap gap-3 empty:hidden">
      {state === 'needs_review' && (
        <Link to={`/review?id=${id}`} className="button button-main">
          {says.toReview}
        </Link>
      )}
      {state === 'awaiting_approval' && (
        <Link to={`/approvals/${id}`} className="button button-main">
          {says.toApproval}
        </Link>
      )}
      {may(kind === 'message' ? 'enqueue-sms' : 'enqueue-payments') && canBeCancelled(kind, state) && (
        <CallOff id={id} kind={kind} />
      )}
    </div>
  );
}

function canBeCancelled(kind: Listed, state: string): boolean {
  return kind === 'message' ? state === 'queued' : kind === 'disbursement' && UNSENT.includes(state);
}

function CallOff({ id, kind }: { readonly id: string; readonly kind: Listed }) {
  const { pages } = useWords();
  const { callOff, callOffSays } = pages.operation;
  const acts = { disbursement: useAct('cancelDisbursement'), message: useAct('cancelMessage') };
  const doing = acts[kind === 'message' ? kind : 'disbursement'];
  return <AskFirst doing={doing} onYes={() => doing.act({ id })} label={callOff} says={callOffSays} look="grave" />;
}
