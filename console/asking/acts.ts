/** Changing requests. Three results: done, refused, unknown. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { NOT_BEGUN } from '../../src/lib/not-reached.ts';
import { NoAnswer } from './answer.ts';
import { type Answer, type Asked, type OperationId, Refused, ask } from './ask.ts';
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

/** Undefined: refused or unknown, see `end`. */
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
        const isPutOff = error instanceof Refused && error.word === SIGN_IN_AGAIN;
        setEnd(isPutOff ? undefined : endOf(error));
        return undefined;
      } finally {
        // Pending until the result is visible: on a slow network a second press would be a second act.
        await askAllAgain(client);
        setUnderWay(false);
      }
    },
    [id, client, confirm],
  );
  return { isUnderWay, end, act, forget: useCallback(() => setEnd(undefined), []) };
}

const SIGN_IN_AGAIN = 'sign-in-again';

/** A server error may hide a completed act, whether relais or a proxy reports it. */
export function endOf(error: unknown): End {
  if (error instanceof NoAnswer) return { is: 'not known' };
  if (!(error instanceof Refused)) throw error;
  return error.status < 500 || NOT_BEGUN.includes(error.word) ? { is: 'refused', error } : { is: 'not known' };
}

/** Nothing was done if the key is requested again, so the act is repeated afterwards. */
async function confirmed<T>(run: () => Promise<T>, confirm: () => Promise<boolean>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refused && error.word === SIGN_IN_AGAIN && (await confirm())) return run();
    throw error;
  }
}
