/** What can be done about one operation, here and where it is decided. */
import { Link } from 'wouter';
import { useAct } from '../asking/acts.ts';
import type { AnyRow, Listed } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { useWords } from '../parts/language.tsx';

/** Nothing was sent yet in any of these. */
const CAN_BE_CALLED_OFF: readonly string[] = ['awaiting_approval', 'queued', 'held', 'created'];

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
      {kind === 'disbursement' && CAN_BE_CALLED_OFF.includes(state) && may('enqueue') && <CallOff id={id} />}
    </div>
  );
}

function CallOff({ id }: { readonly id: string }) {
  const { pages } = useWords();
  const { callOff, callOffSays } = pages.operation;
  const doing = useAct('cancelDisbursement');
  return <AskFirst doing={doing} onYes={() => doing.act({ id })} label={callOff} says={callOffSays} look="grave" />;
}
