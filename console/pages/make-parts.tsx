/** Common parts of the steps of creating a campaign. */
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Arrow } from '../parts/arrow.tsx';
import { Ended } from '../parts/act.tsx';
import { type Draft, type Keeping, STEPS, type Step, useMaking } from './make-draft.ts';

interface OnwardProps {
  readonly draft: Draft;
  readonly step: Step;
  /** Why the next step is not possible yet. */
  readonly missing?: string | undefined;
  /** Saved before the next step. */
  readonly keeping?: Keeping;
}

/** Links to the previous and the next step. */
export function Onward({ draft, step, missing, keeping }: OnwardProps) {
  const { says } = useMaking();
  const [, go] = useLocation();
  const at = STEPS.indexOf(step);
  const [before, after] = [STEPS[at - 1], STEPS[at + 1]];
  const onward = async (): Promise<void> => {
    if (keeping && !(await keeping.keep())) return;
    if (after) go(draft.to(after));
  };
  return (
    <div className="mt-5">
      {keeping && <KeptLine keeping={keeping} />}
      <div className="flex flex-wrap items-center gap-3">
        {before && (
          <Link to={draft.to(before)} className="button">
            {says.back}
          </Link>
        )}
        {after && (
          <button
            type="button"
            className="button button-main"
            data-next={after}
            disabled={missing !== undefined}
            onClick={() => void onward()}
          >
            {says.next} <Arrow to="right" />
          </button>
        )}
        {missing !== undefined && <span className="text-sm text-quiet">{missing}</span>}
      </div>
    </div>
  );
}

/** Whether the input is saved. */
function KeptLine({ keeping }: { readonly keeping: Keeping }) {
  const { says } = useMaking();
  const { state, end } = keeping;
  const said = { kept: says.saved, 'under way': says.saving, 'not kept': says.notSaved }[state];
  return (
    <>
      {end?.is !== 'done' && <Ended end={end} />}
      <p role="status" className="mb-3 text-sm text-quiet" data-kept={state}>
        {said}
      </p>
    </>
  );
}

/** The file is being checked, or is unusable. */
export function Judged({ draft, children }: { readonly draft: Draft; readonly children: ReactNode }) {
  const { says } = useMaking();
  const { judging, kept } = draft;
  if (kept.keptAt === null) {
    return (
      <div className="sheet p-5">
        <p className="mb-3">{says.file.needed}</p>
        <Link to={draft.to('file')} className="button button-main">
          {says.file.choose}
        </Link>
      </div>
    );
  }
  if (judging.end?.is === 'refused' || judging.end?.is === 'not known') return <Unusable draft={draft} />;
  if (kept.report === null) return <Reading />;
  return children;
}

export function Reading() {
  const { says } = useMaking();
  return (
    <div role="status" className="sheet p-5" data-reading="">
      <p className="font-medium">{says.file.reading}</p>
      <p className="text-sm text-quiet">{says.file.readingMeans}</p>
      <div className="mt-3 h-2 animate-pulse rounded-full bg-moving-soft motion-reduce:animate-none" />
    </div>
  );
}

/** Command flags are useless here. */
const withoutFlags = (text: string): string => text.replace(/ ?\(?--[a-z-]+( [A-Z]+)?\)?/g, '');

function Unusable({ draft }: { readonly draft: Draft }) {
  const { says, fileSays } = useMaking();
  const { end, judge } = draft.judging;
  const problems = end?.is === 'refused' ? (end.error.problem.problems ?? []) : [];
  const known = problems.flatMap(({ code }) => {
    const said = Object.entries(fileSays.problems).find(([name]) => name === code)?.[1];
    return said === undefined ? [] : [withoutFlags(said)];
  });
  return (
    <div className="sheet p-5" data-unusable={problems.map(({ code }) => code).join(' ')}>
      {known.length > 0 ? (
        <div role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-bad">
          <p className="font-medium">{says.file.unusable}</p>
          {known.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      ) : (
        <Ended end={end} />
      )}
      <div className="mt-4 flex flex-wrap items-end gap-3">
        {problems.some(({ code }) => code?.endsWith('phone_column')) && <PhoneColumn draft={draft} />}
        <button type="button" className="button" onClick={() => void judge(draft.wishes)}>
          {says.file.readAgain}
        </button>
        <Link to={draft.to('file')} className="button">
          {says.file.another}
        </Link>
      </div>
    </div>
  );
}

/** If no column name identifies the numbers, the user chooses. */
function PhoneColumn({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const field = useId();
  const [name, setName] = useState(draft.wishes.phoneColumn ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void draft.judging.judge({ ...draft.wishes, phoneColumn: name.trim() });
  };
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
      <div>
        <label htmlFor={field} className="mb-1 block text-sm">
          {says.file.phoneColumn}
        </label>
        <input
          id={field}
          className="field"
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <button type="submit" className="button button-main">
        {says.file.readAgain}
      </button>
    </form>
  );
}
