/** What can be done about one operation, here and where it is decided. */
import { useState } from 'react';
import { Link } from 'wouter';
import { useAct } from '../asking/acts.ts';
import type { AnyRow, Listed } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { Ended, Sure } from '../parts/act.tsx';
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
      {state === 'needs_review' && kind !== 'batch' && (
        <Link to={`/review?id=${id}`} className="button button-main">
          {says.toReview}
        </Link>
      )}
      {(state === 'awaiting_approval' || (state === 'needs_review' && kind === 'batch')) && (
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
  const says = pages.operation;
  const { act, end, isUnderWay, forget } = useAct('cancelDisbursement');
  const [isAsked, setAsked] = useState(false);
  const yes = async (): Promise<void> => {
    if (await act({ id })) setAsked(false);
  };
  return (
    <>
      <button
        type="button"
        className="button button-grave"
        onClick={() => {
          forget();
          setAsked(true);
        }}
      >
        {says.callOff}
      </button>
      {!isAsked && <Ended end={end} />}
      {isAsked && (
        <Sure
          title={says.callOff}
          says={<p>{says.callOffSays}</p>}
          button={says.callOff}
          grave
          isUnderWay={isUnderWay}
          end={end}
          onYes={() => void yes()}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
