/** What changes something. Three ends: done, refused, and not known. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { type Answer, type Asked, NoAnswer, type OperationId, Refused, ask } from './ask.ts';
import { forgetPerson } from './queries.ts';
import { useSession } from './session.tsx';
import { askAllAgain } from './stream.ts';

export type End =
  | { readonly is: 'done' }
  | { readonly is: 'refused'; readonly error: Refused }
  | { readonly is: 'not known' };

interface Acting<Id extends OperationId> {
  readonly isUnderWay: boolean;
  readonly end: End | undefined;
  readonly act: (asked: Asked<Id>) => Promise<Answer<Id> | undefined>;
  readonly forget: () => void;
}

/** Undefined is answered where it was refused or is not known: `end` says which. */
export function useAct<Id extends OperationId>(id: Id): Acting<Id> {
  const client = useQueryClient();
  const { confirm } = useSession();
  const [end, setEnd] = useState<End>();
  const [isUnderWay, setUnderWay] = useState(false);
  const act = useCallback(
    async (asked: Asked<Id>): Promise<Answer<Id> | undefined> => {
      setUnderWay(true);
      setEnd(undefined);
      try {
        const answer = await confirmed(() => ask(id, asked), confirm);
        setEnd({ is: 'done' });
        return answer;
      } catch (error) {
        if (error instanceof Refused && error.status === 401) forgetPerson(client);
        if (error instanceof Refused) setEnd(error.word === SIGN_IN_AGAIN ? undefined : { is: 'refused', error });
        else if (error instanceof NoAnswer) setEnd({ is: 'not known' });
        else throw error;
        return undefined;
      } finally {
        setUnderWay(false);
        await askAllAgain(client);
      }
    },
    [id, client, confirm],
  );
  return { isUnderWay, end, act, forget: useCallback(() => setEnd(undefined), []) };
}

const SIGN_IN_AGAIN = 'sign-in-again';

/** Nothing was done yet where the key is asked for again, so it is asked once more afterwards. */
async function confirmed<T>(run: () => Promise<T>, confirm: () => Promise<boolean>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refused && error.word === SIGN_IN_AGAIN && (await confirm())) return run();
    throw error;
  }
}
