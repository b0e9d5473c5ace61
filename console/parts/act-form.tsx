/** An act with input: a button, a form in a dialog, and the three results. */
import type { FormEvent, ReactNode } from 'react';
import type { End } from '../asking/acts.ts';
import { Dialog, Ended, Opens } from './act.tsx';
import { useWords } from './language.tsx';

interface Doing {
  readonly end: End | undefined;
  readonly isUnderWay: boolean;
  readonly forget: () => void;
}

interface FormInDialogProps {
  readonly doing: Doing;
  readonly title: string;
  readonly send: string;
  readonly grave?: boolean;
  readonly isReady?: boolean;
  /** The answer if it was done, which closes the form. */
  readonly onSend: () => Promise<object | undefined>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function FormInDialog(given: FormInDialogProps) {
  const { doing, title, send, grave = false, isReady = true, onSend, onClose, children } = given;
  const { parts } = useWords();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isReady && (await onSend())) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        <Ended end={doing.end} />
        <div className="mt-5 flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {parts.cancel}
          </button>
          {/* The result is unknown: nothing is offered that could repeat the act. */}
          {doing.end?.is !== 'not known' && (
            <button
              type="submit"
              className={`button ${grave ? 'button-grave' : 'button-main'}`}
              disabled={!isReady || doing.isUnderWay}
            >
              {send}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

interface AskFormProps extends Omit<FormInDialogProps, 'title' | 'send' | 'onClose'> {
  /** The label of the opening button, and of the form unless `title` is set. */
  readonly label: string;
  readonly title?: string;
  /** The label of the sending button; absent: `label`. */
  readonly send?: string;
  readonly look?: 'plain' | 'main' | 'grave';
  /** The name of the act, for addresses and tests. */
  readonly name: string;
}

export function AskForm({ label, title = label, send = label, look = 'plain', name, ...form }: AskFormProps) {
  return (
    <Opens doing={form.doing} {...{ label, look, name }}>
      {(close) => <FormInDialog title={title} send={send} onClose={close} {...form} />}
    </Opens>
  );
}
