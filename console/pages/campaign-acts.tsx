/** Start, pause, resume, pace, cancel: each with its effect, and a warning before irreversible ones. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst, Dialog, Ended } from '../parts/act.tsx';
import { countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { PaceField, paceOf, paceWritten } from './campaign-pace.tsx';

type Whole = Answer<'getCampaign'>;

const OPEN: readonly string[] = ['running', 'held', 'paused', 'scheduled', 'awaiting_approval', 'ready'];

export function CampaignActs({ campaign }: { readonly campaign: Whole }) {
  const words = useWords();
  const { may } = useSession();
  const says = words.pages.campaign;
  const { id, state, totals } = campaign;
  const left = countIn(words, totals.queued + totals.held);
  if (!may('enqueue-sms')) return state === 'awaiting_approval' ? <ToApproval id={id} /> : null;
  return (
    <div className="mt-5 flex flex-wrap items-start gap-3 border-t border-line pt-4 empty:hidden">
      {state === 'draft' && (
        <Link to={`/campaigns/${id}/make`} className="button button-main">
          {says.makeOn}
        </Link>
      )}
      {state === 'ready' && <Switch act="startCampaign" id={id} name={says.start} says={says.startSays(left)} />}
      {state === 'awaiting_approval' && <ToApproval id={id} />}
      {(state === 'running' || state === 'held') && (
        <Switch act="pauseCampaign" id={id} name={says.pause} says={says.pauseSays} />
      )}
      {(state === 'paused' || state === 'held') && (
        <Switch act="resumeCampaign" id={id} name={says.resume} says={says.resumeSays} />
      )}
      {OPEN.includes(state) && <Pace id={id} now={campaign.perSecond} />}
      {OPEN.includes(state) && <End campaign={campaign} />}
      {state === 'finished' && totals.failed > 0 && <SendAgain campaign={campaign} />}
      {state !== 'draft' && <Copy campaign={campaign} />}
    </div>
  );
}

function ToApproval({ id }: { readonly id: string }) {
  const { pages } = useWords();
  return (
    <Link to={`/approvals/${id}`} className="button button-main">
      {pages.operation.toApproval}
    </Link>
  );
}

interface SwitchProps {
  readonly act: 'startCampaign' | 'pauseCampaign' | 'resumeCampaign' | 'cancelCampaign';
  readonly id: string;
  readonly name: string;
  readonly says: ReactNode;
  readonly grave?: boolean;
}

function Switch({ act: name, id, name: label, says, grave = false }: SwitchProps) {
  const doing = useAct(name);
  const look = grave ? 'grave' : 'plain';
  return <AskFirst doing={doing} onYes={() => doing.act({ id })} {...{ label, says, look, name }} />;
}

function End({ campaign: { id, totals } }: { readonly campaign: Whole }) {
  const words = useWords();
  const says = words.pages.campaign;
  const left = countIn(words, totals.queued + totals.held);
  return <Switch act="cancelCampaign" id={id} name={says.end} says={says.endSays(left)} grave />;
}

/** Without recipients in doubt: they may have got the SMS. */
function SendAgain({ campaign: { id, totals } }: { readonly campaign: Whole }) {
  const words = useWords();
  const says = words.pages.campaign;
  const doing = useAct('retryCampaign');
  return (
    <AskFirst
      doing={doing}
      name="retryCampaign"
      label={says.sendAgain(countIn(words, totals.failed))}
      says={says.sendAgainSays}
      onYes={() => doing.act({ id, body: { includeUnknown: false } })}
    />
  );
}

/** Its text and how it is sent; the recipients are taken from a file again. */
function Copy({ campaign: { name, account, text, from, perSecond } }: { readonly campaign: Whole }) {
  const { pages } = useWords();
  const says = pages.campaign;
  const doing = useAct('createCampaign');
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [, go] = useLocation();
  const make = async () => {
    const body = {
      name: says.copyOf(name).slice(0, 100),
      account,
      text,
      ...(from === null ? {} : { from }),
      ...(perSecond === null ? {} : { perSecond }),
    };
    const made = await doing.act({ idempotencyKey, body });
    if (made) go(`/campaigns/${made.id}/make/file`);
    return made;
  };
  return <AskFirst doing={doing} name="copyCampaign" label={says.copy} says={says.copySays} onYes={make} />;
}

function Pace({ id, now }: { readonly id: string; readonly now: number | null }) {
  const { pages } = useWords();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button type="button" data-act="amendCampaign" className="button" onClick={() => setAsked(true)}>
        {pages.campaign.changePace}
      </button>
      {isAsked && <PaceForm id={id} now={now} onClose={() => setAsked(false)} />}
    </>
  );
}

interface PaceProps {
  readonly id: string;
  readonly now: number | null;
  readonly onClose: () => void;
}

function PaceForm({ id, now, onClose }: PaceProps) {
  const { pages, parts } = useWords();
  const says = pages.campaign;
  const { act, end, isUnderWay } = useAct('amendCampaign');
  const [written, write] = useState(paceWritten(now));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const perSecond = paceOf(written);
    if (perSecond !== undefined && (await act({ id, body: { perSecond } }))) onClose();
  };
  return (
    <Dialog title={says.changePace} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <PaceField written={written} write={write} />
        <Ended end={end} />
        <div className="mt-5 flex justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {parts.cancel}
          </button>
          <button type="submit" className="button button-main" disabled={isUnderWay}>
            {says.setPace}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
