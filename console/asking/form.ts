/** A form that asks for one thing once: judged by the API first, and under one name however often it is sent. */
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type End, useAct } from './acts.ts';
import type { Answer, Asked, Judged, Judgement } from './ask.ts';

const NAME = 'form';

/**
 * It stands in the address: after a reload the form still asks for the same thing, or shows the stored request.
 * Undefined for the moment until it stands there.
 */
export function useFormName(): string | undefined {
  const [search, setSearch] = useSearchParams();
  const named = search.get(NAME);
  useEffect(() => {
    if (named !== null) return;
    const more = new URLSearchParams(search);
    more.set(NAME, crypto.randomUUID());
    setSearch(more, { replace: true });
  }, [named, search, setSearch]);
  return named ?? undefined;
}

/** The problem of a field, by its pointer. */
export type Wrong = (pointer: string) => string | undefined;

export interface Form<Id extends Judged> {
  readonly judged: Judgement<Id> | undefined;
  /** How the last question ended, of the check or of the request itself. */
  readonly end: End | undefined;
  readonly isUnderWay: boolean;
  readonly wrong: Wrong;
  /** The operation that this form has already created. */
  readonly existing: string | undefined;
  readonly check: (asked: Asked<Id>) => Promise<void>;
  readonly change: () => void;
  readonly send: (asked: Asked<Id>) => Promise<Answer<Id> | undefined>;
}

export function useForm<Id extends Judged>(id: Id): Form<Id> {
  const judging = useAct(id);
  const sending = useAct(id);
  const [judged, setJudged] = useState<Judgement<Id>>();
  const asking = useRef(0);
  const end = sending.end ?? (judging.end?.is === 'done' ? undefined : judging.end);
  const problem = end?.is === 'refused' ? end.error.problem : undefined;
  return {
    judged,
    end,
    isUnderWay: judging.isUnderWay || sending.isUnderWay,
    wrong: (pointer) => {
      const said = problem?.problems?.filter((one) => one.pointer === pointer).map(({ message }) => message) ?? [];
      return said.length === 0 ? undefined : said.join(' ');
    },
    existing: problem?.existingId ?? problem?.id ?? existingIn(judged),
    check: async (asked) => {
      sending.forget();
      const nth = (asking.current += 1);
      const answer = (await judging.act({ ...asked, dryRun: true })) as Judgement<Id> | undefined;
      // Two checks can be answered in any order: only the later check counts.
      if (nth === asking.current) setJudged(answer);
    },
    change: () => {
      sending.forget();
      judging.forget();
      setJudged(undefined);
    },
    send: (asked) => sending.act(asked),
  };
}

function existingIn(judged: unknown): string | undefined {
  const { outcome, id } = (judged ?? {}) as { readonly outcome?: string; readonly id?: string };
  return outcome === 'duplicate' ? id : undefined;
}
