/** The link to the identity provider, and the message after a return without a session. */
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Refused, ask } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { useWords } from './language.tsx';

/** The provider's name, if there is one. */
export function useProvider(): string | undefined {
  const { data } = useAsk('readProvider', {});
  return data?.host ?? undefined;
}

interface WayProps {
  readonly host: string;
  /** The provider requires a new authentication. */
  readonly again?: boolean;
}

/** The user returns to the current page. */
export function WayToProvider({ host, again = false }: WayProps) {
  const { signIn } = useWords();
  const [at] = useLocation();
  const [asked] = useSearchParams();
  const [wrong, setWrong] = useState<string>();
  const go = async (): Promise<void> => {
    setWrong(undefined);
    const rest = new URLSearchParams([...asked].filter(([name]) => name !== NOT_SIGNED_IN)).toString();
    try {
      const { url } = await ask('beginSignIn', { body: { at: rest === '' ? at : `${at}?${rest}`, again } });
      location.assign(url);
    } catch (error) {
      const isAway = error instanceof Refused && error.word === 'provider-away';
      setWrong(isAway ? signIn.notSignedIn['away'] : signIn.notSignedIn['failed']);
    }
  };
  return (
    <>
      {wrong !== undefined && (
        <p role="alert" className="mb-3 text-bad">
          {wrong}
        </p>
      )}
      <button
        type="button"
        className={`button w-full ${again ? 'button-main' : ''}`}
        data-provider
        onClick={() => void go()}
      >
        {signIn.provider(host)}
      </button>
    </>
  );
}

/** Written by `/v1/session/callback`. */
const NOT_SIGNED_IN = 'not-signed-in';

export function NotSignedIn() {
  const { signIn } = useWords();
  const [asked] = useSearchParams();
  const why = asked.get(NOT_SIGNED_IN);
  if (why === null) return null;
  return (
    <p role="alert" className="mb-4 rounded-lg bg-bad-soft px-3 py-2 text-bad" data-not-signed-in={why}>
      {signIn.notSignedIn[why] ?? signIn.notSignedIn['failed']}
    </p>
  );
}
