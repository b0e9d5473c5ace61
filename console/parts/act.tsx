/** An act with a confirmation that names its effect, and the three results. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { End } from '../asking/acts.ts';
import { useWords } from './language.tsx';

interface DialogProps {
  readonly title: string;
  /** Absent: it stays until the page closes it. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** The browser's dialog: Escape closes it, and focus returns to its previous position. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const opened = dialog.current;
    if (opened && !opened.open) opened.showModal();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // Browsers close it at the second Escape, whatever a page does at the first.
      onClose={({ currentTarget }) => {
        if (currentTarget.open) return;
        if (onClose === undefined) currentTarget.showModal();
        else onClose();
      }}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-xl border border-line bg-sheet p-6 text-ink"
    >
      <h2 id={name} className="mb-3 text-xl font-semibold">
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** The result of an act, announced to screen readers if requested. */
export function Ended({ end }: { readonly end: End | undefined }) {
  const { ends, trouble } = useWords();
  if (end === undefined) return null;
  if (end.is === 'done') {
    return (
      <p role="status" className="my-3 rounded-lg bg-done-soft px-3 py-2 text-done" data-end="done">
        {ends.done}
      </p>
    );
  }
  if (end.is === 'not known') {
    return (
      <p role="alert" className="my-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-end="not known">
        {ends.notKnown}
      </p>
    );
  }
  const { word, problem, message } = end.error;
  const why = ends.rules[problem.rule ?? ''] ?? ends.rules[word] ?? trouble[word] ?? '';
  return (
    <div role="alert" className="my-3 rounded-lg bg-bad-soft px-3 py-2 text-bad" data-end="refused">
      <p>
        {ends.refused} {why}
      </p>
      <details className="mt-1 text-sm">
        <summary>{ends.exact}</summary>
        {message}
        {problem.problems?.map(({ pointer, message: what }) => (
          <span key={pointer} className="block">
            {pointer}: {what}
          </span>
        ))}
      </details>
    </div>
  );
}

interface AskedProps {
  readonly title: string;
  readonly says: ReactNode;
  readonly button: string;
  readonly grave?: boolean;
  readonly isUnderWay: boolean;
  readonly end: End | undefined;
  readonly onYes: () => void;
  readonly onClose: () => void;
}

/** Before an act: its effect, and whether it is irreversible. */
function Sure({ title, says, button, grave = false, isUnderWay, end, onYes, onClose }: AskedProps) {
  const { parts } = useWords();
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="space-y-2">{says}</div>
      <Ended end={end} />
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <button type="button" className="button" onClick={onClose}>
          {parts.cancel}
        </button>
        {/* The result is unknown: nothing is offered that could repeat the act. */}
        {end?.is !== 'not known' && (
          <button
            type="button"
            className={`button ${grave ? 'button-grave' : 'button-main'}`}
            disabled={isUnderWay}
            onClick={onYes}
          >
            {button}
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface Opening {
  readonly doing: { readonly end: End | undefined; readonly isUnderWay: boolean; readonly forget: () => void };
  readonly label: string;
  readonly look?: 'plain' | 'main' | 'grave';
  /** The name of the act, for addresses and tests. */
  readonly name?: string;
}

interface OpensProps extends Opening {
  readonly children: (close: () => void) => ReactNode;
}

/** A button with its dialog: opening it clears the result of an earlier try. */
export function Opens({ doing, label, look = 'plain', name, children }: OpensProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button
        type="button"
        data-act={name}
        className={look === 'plain' ? 'button' : `button button-${look}`}
        onClick={() => {
          doing.forget();
          setAsked(true);
        }}
      >
        {label}
      </button>
      {isAsked && children(() => setAsked(false))}
    </>
  );
}

interface AskFirstProps extends Opening {
  /** The answer if it was done, which closes the confirmation. */
  readonly onYes: () => Promise<object | undefined>;
  /** The title of the confirmation; default: the label. */
  readonly title?: string;
  readonly says: ReactNode;
}

/** A button with a confirmation before the act. */
export function AskFirst({ onYes, title, says, ...opening }: AskFirstProps) {
  const { doing, label, look } = opening;
  return (
    <Opens {...opening}>
      {(close) => (
        <Sure
          title={title ?? label}
          says={<p>{says}</p>}
          button={label}
          grave={look === 'grave'}
          isUnderWay={doing.isUnderWay}
          end={doing.end}
          onYes={() => void onYes().then((done) => done && close())}
          onClose={close}
        />
      )}
    </Opens>
  );
}
