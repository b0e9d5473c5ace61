/** Exchanges a key for a session. The requested page stays in the address, and opens afterwards. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { SESSION } from '../asking/queries.ts';
import { signIn } from '../asking/session.tsx';
import { useWords } from '../parts/language.tsx';
import { NotSignedIn, WayToProvider, useProvider } from '../parts/provider.tsx';
import { ColourChoice, LanguageChoice } from '../shell/choices.tsx';
import { wrongKeyIn } from '../parts/wrong-key.ts';
import { Mark } from '../shell/mark.tsx';

export function SignIn() {
  const { signIn: says, shell } = useWords();
  const host = useProvider();
  useEffect(() => {
    document.title = shell.page(says.title);
  }, [shell, says]);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-4 py-10">
      <div className="mb-6 flex items-center gap-3">
        <Mark />
        <p className="text-quiet">{says.lead}</p>
      </div>
      <div className="sheet p-6">
        <h1 className="mb-4 text-2xl font-semibold">{says.title}</h1>
        <NotSignedIn />
        <KeyForm />
        {host !== undefined && (
          <div className="mt-5 border-t border-line pt-5">
            <WayToProvider host={host} />
          </div>
        )}
      </div>
      <div className="mt-6 flex flex-wrap justify-between gap-4">
        <LanguageChoice />
        <ColourChoice />
      </div>
    </main>
  );
}

function KeyForm() {
  const { signIn: says } = useWords();
  const client = useQueryClient();
  const field = useId();
  const [key, setKey] = useState('');
  const [isUnderWay, setUnderWay] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setUnderWay(true);
    setError(undefined);
    try {
      client.setQueryData(SESSION, await signIn(key.trim()));
    } catch (refusal) {
      setError(refusal);
    } finally {
      setUnderWay(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label htmlFor={field} className="mb-1 block font-medium">
        {says.key}
      </label>
      <input
        id={field}
        className="field"
        type="password"
        autoComplete="current-password"
        aria-describedby={`${field}-hint`}
        required
        value={key}
        onChange={({ target }) => setKey(target.value)}
      />
      <p id={`${field}-hint`} className="mt-1 text-sm text-quiet">
        {says.hint}
      </p>
      <Wrong error={error} />
      <button type="submit" className="button button-main mt-5 w-full" disabled={isUnderWay}>
        {isUnderWay ? says.underWay : says.submit}
      </button>
    </form>
  );
}

function Wrong({ error }: { readonly error: unknown }) {
  const words = useWords();
  if (error === undefined) return null;
  return (
    <p role="alert" className="mt-3 text-bad">
      {wrongKeyIn(words, error)}
    </p>
  );
}
