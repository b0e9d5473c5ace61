/** The signed-in user, and the confirmation with the key before critical acts. */
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

/** Identity and rights: if they change, the whole page is reset. */
export const identityOf = ({ name, person, signedInBy, roles, accounts }: Session): string =>
  JSON.stringify([name, person, signedInBy, roles, accounts]);

export function useCurrentSession() {
  return useQuery({
    queryKey: SESSION,
    queryFn: async ({ signal, client }) => {
      const session = await current(signal);
      const before = client.getQueryData<Session | null>(SESSION);
      // Another user signed in in another tab: tabs share the cookie.
      const isAnother = session !== null && before && identityOf(before) !== identityOf(session);
      if (isAnother) forgetRead(client);
      return session;
    },
    staleTime: 60_000,
    refetchOnWindowFocus: 'always',
    // Refreshed automatically, so that every page, even one without requests, shows an outage of relais or its
    // database.
    refetchInterval: ({ state: { data, error } }) =>
      troubleOf(error) === undefined ? data !== null && AGAIN_MS : SOON_MS,
  });
}

interface Signed {
  readonly session: Session;
  readonly may: (role: Role) => boolean;
  /** The holder of the key. A person cannot approve their own request. */
  readonly me: string;
  /** false: the user cancelled it. */
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

/** Whether the signed-in key has access to a page or an act. */
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
