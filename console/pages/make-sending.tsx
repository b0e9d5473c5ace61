/** Start, quiet hours, pace and sender ID. */
import { useId, useState } from 'react';
import { Labelled } from '../parts/field.tsx';
import { PaceField, paceOf, paceWritten } from './campaign-pace.tsx';
import { type Draft, type Keeping, useKeeping, useMaking } from './make-draft.ts';
import { Onward } from './make-parts.tsx';

type Lack = 'noTime' | 'noHours' | 'noPace';

export function SendingStep({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const keeping = useKeeping(draft.campaign.id);
  const [lacks, setLacks] = useState<readonly Lack[]>([]);
  const part = {
    draft,
    keeping,
    lacks: (lack: Lack, isSo: boolean) =>
      setLacks((before) => [...before.filter((one) => one !== lack), ...(isSo ? [lack] : [])]),
  };
  const [lack] = lacks;
  return (
    <>
      <section className="sheet max-w-2xl space-y-6 p-5">
        <Sender draft={draft} keeping={keeping} />
        <Begin {...part} />
        <Nights {...part} />
        <Pace {...part} />
      </section>
      <Onward draft={draft} step="sending" keeping={keeping} missing={lack && says.sending[lack]} />
    </>
  );
}

interface SenderProps {
  readonly draft: Draft;
  readonly keeping: Keeping;
}

interface PartProps extends SenderProps {
  /** A field has an invalid value that cannot be saved. */
  readonly lacks: (lack: Lack, isSo: boolean) => void;
}

function Sender({ draft, keeping }: SenderProps) {
  const { says } = useMaking();
  const [from, setFrom] = useState(draft.campaign.from ?? '');
  return (
    <Labelled label={says.sending.sender} hint={says.sending.senderHint}>
      {(told) => (
        <input
          {...told}
          className={`${told.className} max-w-64`}
          maxLength={20}
          autoComplete="off"
          value={from}
          onChange={({ target }) => {
            setFrom(target.value);
            keeping.change({ from: target.value.trim() === '' ? null : target.value.trim() });
          }}
        />
      )}
    </Labelled>
  );
}

/** The value of the browser's field: this device's time, without seconds. */
function onThisClock(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

function Begin({ draft, keeping, lacks }: PartProps) {
  const { says } = useMaking();
  const { sendAt } = draft.campaign;
  const name = useId();
  const [at, setAt] = useState(sendAt === null ? '' : onThisClock(new Date(sendAt)));
  const [isLater, setLater] = useState(sendAt !== null);
  const later = (written: string): void => {
    setLater(true);
    setAt(written);
    lacks('noTime', written === '');
    if (written !== '') keeping.change({ sendAt: new Date(written).toISOString() });
  };
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{says.sending.begin}</legend>
      <Radio
        name={name}
        label={says.sending.atOnce}
        isChosen={!isLater}
        choose={() => {
          setLater(false);
          lacks('noTime', false);
          keeping.change({ sendAt: null });
        }}
      />
      <Radio name={name} label={says.sending.later} isChosen={isLater} choose={() => later(at)} />
      {isLater && (
        <div className="mt-1 ml-7">
          <label htmlFor={`${name}-at`} className="mb-1 block text-sm">
            {says.sending.at}
          </label>
          <input
            id={`${name}-at`}
            type="datetime-local"
            className="field max-w-64"
            value={at}
            onChange={({ target }) => later(target.value)}
          />
        </div>
      )}
    </fieldset>
  );
}

const NIGHT = ['21:00', '08:00'] as const;

function Nights({ draft, keeping, lacks }: PartProps) {
  const { says } = useMaking();
  const { quietHours, quiet } = draft.campaign;
  const usual = quiet?.usual ? says.sending.usual(quiet.usual) : says.sending.usualOff;
  const name = useId();
  const own = typeof quietHours === 'string' ? quietHours : undefined;
  const [chosen, setChosen] = useState(own === undefined ? (quietHours ? 'usual' : 'always') : 'own');
  const [from = NIGHT[0], to = NIGHT[1]] = own?.split('-') ?? [];
  const [hours, setHours] = useState<readonly [string, string]>([from, to]);
  const choose = (which: string, more: boolean) => () => {
    setChosen(which);
    lacks('noHours', false);
    keeping.change({ quietHours: more });
  };
  const write = (next: readonly [string, string]): void => {
    const isHalf = next.includes('');
    setChosen('own');
    setHours(next);
    lacks('noHours', isHalf);
    if (!isHalf) keeping.change({ quietHours: next.join('-') });
  };
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{says.sending.window}</legend>
      <Radio name={name} label={usual} isChosen={chosen === 'usual'} choose={choose('usual', true)} />
      <Radio name={name} label={says.sending.own} isChosen={chosen === 'own'} choose={() => write(hours)} />
      {chosen === 'own' && <Hours hours={hours} write={write} />}
      <Radio
        name={name}
        label={says.sending.always}
        isChosen={chosen === 'always'}
        choose={choose('always', false)}
      />
    </fieldset>
  );
}

interface HoursProps {
  readonly hours: readonly [string, string];
  readonly write: (hours: readonly [string, string]) => void;
}

function Hours({ hours, write }: HoursProps) {
  const { says } = useMaking();
  const [from, to] = hours;
  return (
    <div className="mt-1 ml-7 flex flex-wrap items-center gap-2">
      <input
        type="time"
        className="field w-32"
        aria-label={says.sending.own}
        value={from}
        onChange={({ target }) => write([target.value, to])}
      />
      {says.sending.and}
      <input
        type="time"
        className="field w-32"
        aria-label={says.sending.and}
        value={to}
        onChange={({ target }) => write([from, target.value])}
      />
    </div>
  );
}

interface RadioProps {
  readonly name: string;
  readonly label: string;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Radio({ name, label, isChosen, choose }: RadioProps) {
  return (
    <label className="flex min-h-11 items-center gap-2">
      <input
        type="radio"
        name={name}
        className="size-5 shrink-0 accent-accent"
        checked={isChosen}
        onChange={choose}
      />
      {label}
    </label>
  );
}

function Pace({ draft, keeping, lacks }: PartProps) {
  const [written, setWritten] = useState(paceWritten(draft.campaign.perSecond));
  const write = (next: string): void => {
    setWritten(next);
    const perSecond = paceOf(next);
    lacks('noPace', perSecond === undefined);
    if (perSecond !== undefined) keeping.change({ perSecond });
  };
  return <PaceField written={written} write={write} />;
}
