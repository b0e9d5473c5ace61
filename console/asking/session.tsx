/** Who is signed in, and asking to show the key again before what is grave. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { type Answer, Refused, ask, troubleOf } from './ask.ts';
import { SESSION, forgetPerson, forgetRead } from './queries.ts';
import type { Role } from '../shell/entries.ts';
import { Confirm } from '../shell/confirm-key.tsx';

export type Session = Answer<'readSession'>;

export function signIn(key: string): Promise<Session> {
  return ask('createSession', { body: { key } });
}

async function current(signal: AbortSignal): Promise<Session | null> {
  try {
    return await ask('readSession', {}, signal);
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return null;
    throw error;
  }
}

const AGAIN_MS = 15_000;
const SOON_MS = 4_000;

/** Whose it is, and what they may: where it is no longer the same, nothing on the page is. */
export const identityOf = ({ name, person, signedInBy, roles, accounts }: Session): string =>
  JSON.stringify([name, person, signedInBy, roles, accounts]);

export function useCurrentSession() {
  return useQuery({
    queryKey: SESSION,
    queryFn: async ({ signal, client }) => {
      const session = await current(signal);
      const before = client.getQueryData<Session | null>(SESSION);
      // Somebody else signed in beside, in another tab: they have a cookie in common.
      const isAnother = session !== null && before && identityOf(before) !== identityOf(session);
      if (isAnother) forgetRead(client);
      return session;
    },
    staleTime: 60_000,
    refetchOnWindowFocus: 'always',
    // Asked by itself, so that every page tells that relais or its memory is away, and one that asks nothing too.
    refetchInterval: ({ state: { data, error } }) =>
      troubleOf(error) === undefined ? data !== null && AGAIN_MS : SOON_MS,
  });
}

interface Signed {
  readonly session: Session;
  readonly may: (role: Role) => boolean;
  /** Whose key it is: nobody approves what they asked for themselves. */
  readonly me: string;
  /** false: the person went away from it. */
  readonly confirm: () => Promise<boolean>;
  readonly signOut: () => Promise<void>;
}

const Context = createContext<Signed | undefined>(undefined);

export function useSession(): Signed {
  const signed = useContext(Context);
  if (signed === undefined) throw new Error('Nobody is signed in here.');
  return signed;
}

interface Reached {
  readonly roles: readonly Role[];
  readonly ofAll?: boolean;
}

/** Whether the key that is signed in gets to something. */
export function useReach(): (wished: Reached) => boolean {
  const { may, session } = useSession();
  return ({ roles, ofAll = false }) => roles.some(may) && !(ofAll && session.accounts !== null);
}

export function Signedin({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const settle = useRef<(isConfirmed: boolean) => void>(undefined);
  const confirm = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        settle.current = resolve;
        setAsked(true);
      }),
    [],
  );
  const signed = useMemo<Signed>(
    () => ({
      session,
      me: session.person ?? session.name,
      may: (role) =>
        session.roles.includes(role) || (role.startsWith('enqueue-') && session.roles.includes('enqueue')),
      confirm,
      signOut: async () => {
        await ask('endSession', {}).catch((error: unknown) => {
          // It was over already.
          if (!(error instanceof Refused && error.status === 401)) throw error;
        });
        forgetPerson(client);
      },
    }),
    [session, confirm, client],
  );
  const end = (isConfirmed: boolean): void => {
    setAsked(false);
    settle.current?.(isConfirmed);
  };
  return (
    <Context value={signed}>
      {children}
      {isAsked && <Confirm by={session.signedInBy} onEnd={end} />}
    </Context>
  );
}
