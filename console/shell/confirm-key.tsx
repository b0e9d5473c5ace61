/** Confirmation with the key or the identity provider before a critical act. */
import { type FormEvent, useId, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Refused, ask } from '../asking/ask.ts';
import { forgetPerson } from '../asking/queries.ts';
import { Dialog } from '../parts/act.tsx';
import { useWords } from '../parts/language.tsx';
import { WayToProvider, useProvider } from '../parts/provider.tsx';
import type { Session } from '../asking/session.tsx';
import { wrongKeyIn } from '../parts/wrong-key.ts';

interface ConfirmProps {
  readonly onEnd: (isConfirmed: boolean) => void;
}

export function Confirm({ by, onEnd }: ConfirmProps & { readonly by: Session['signedInBy'] }) {
  return by === 'provider' ? <ConfirmAtProvider onEnd={onEnd} /> : <ConfirmKey onEnd={onEnd} />;
}

function ConfirmAtProvider({ onEnd }: ConfirmProps) {
  const { signIn, parts } = useWords();
  const host = useProvider();
  return (
    <Dialog title={signIn.againThere} onClose={() => onEnd(false)}>
      <p className="mb-4 text-quiet">{signIn.whyThere}</p>
      {host !== undefined && <WayToProvider host={host} again />}
      <button type="button" className="button mt-3 w-full" onClick={() => onEnd(false)}>
        {parts.cancel}
      </button>
    </Dialog>
  );
}

function useShowing(onEnd: ConfirmProps['onEnd']) {
  const words = useWords();
  const client = useQueryClient();
  const [isUnderWay, setUnderWay] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const show = async (key: string): Promise<void> => {
    setUnderWay(true);
    setWrong(undefined);
    try {
      await ask('confirmSession', { body: { key } });
      onEnd(true);
    } catch (error) {
      // An ended session cannot be confirmed: the sign-in page follows.
      if (error instanceof Refused && error.status === 401) return forgetPerson(client);
      setWrong(wrongKeyIn(words, error));
    } finally {
      setUnderWay(false);
    }
  };
  return { isUnderWay, wrong, show };
}

function ConfirmKey({ onEnd }: ConfirmProps) {
  const { signIn, parts } = useWords();
  const field = useId();
  const [key, setKey] = useState('');
  const { isUnderWay, wrong, show } = useShowing(onEnd);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void show(key.trim());
  };
  return (
    <Dialog title={signIn.again} onClose={() => onEnd(false)}>
      <form onSubmit={submit}>
        <p className="mb-4 text-quiet">{signIn.why}</p>
        <label htmlFor={field} className="mb-1 block font-medium">
          {signIn.key}
        </label>
        <input
          id={field}
          className="field"
          type="password"
          autoComplete="current-password"
          required
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        {wrong !== undefined && (
          <p role="alert" className="mt-2 text-bad">
            {wrong}
          </p>
        )}
        <div className="mt-5 flex justify-end gap-3">
          <button type="button" className="button" onClick={() => onEnd(false)}>
            {parts.cancel}
          </button>
          <button type="submit" className="button button-main" disabled={isUnderWay}>
            {signIn.confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
