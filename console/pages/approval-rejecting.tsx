/** A different person rejects it with a reason. */
import { useState } from 'react';
import { useAct } from '../asking/acts.ts';
import { AskForm } from '../parts/act-form.tsx';
import { Field } from '../parts/field.tsx';
import { useWords } from '../parts/language.tsx';

interface RejectingProps {
  readonly kind: 'disbursement' | 'batch' | 'campaign';
  readonly id: string;
}

const REASON_MOST = 500;

export function Rejecting({ kind, id }: RejectingProps) {
  const { approvals: says } = useWords().pages;
  const [reason, setReason] = useState('');
  const acts = {
    disbursement: useAct('rejectDisbursement'),
    batch: useAct('rejectBatch'),
    campaign: useAct('rejectCampaign'),
  };
  const doing = acts[kind];
  const written = reason.trim();
  return (
    <div className="mt-6 border-t border-line pt-4">
      <AskForm
        doing={doing}
        label={says.reject}
        look="grave"
        name="reject"
        grave
        isReady={written !== ''}
        onSend={() => doing.act({ id, body: { reason: written } })}
      >
        <p>{says.rejectSays}</p>
        <Field label={says.rejectReason} value={reason} set={setReason} maxLength={REASON_MOST} required />
      </AskForm>
    </div>
  );
}
