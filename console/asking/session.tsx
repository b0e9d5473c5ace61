/** Who is signed in, and asking to show the key again before what is grave. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { type Answer, NoAnswer, Refused, ask } from './ask.ts';
import { SESSION } from './queries.ts';
import type { Role } from '../shell/entries.ts';
import { ConfirmKey } from '../shell/confirm-key.tsx';

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

export function useCurrentSession() {
  return useQuery({
    queryKey: SESSION,
    queryFn: ({ signal }) => current(signal),
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.error instanceof NoAnswer ? 4_000 : false),
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
      may: (role) => session.roles.includes(role),
      confirm,
      signOut: async () => {
        await ask('endSession', {});
        client.clear();
        client.setQueryData(SESSION, null);
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
      {isAsked && <ConfirmKey onEnd={end} />}
    </Context>
  );
}
