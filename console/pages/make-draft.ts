/** A campaign draft: its data, the options of its file, and its changes. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useAct } from '../asking/acts.ts';
import type { Answer, Asked } from '../asking/ask.ts';
import { useChoice } from '../parts/language.tsx';
import { fileWordsIn, makingIn } from '../words/making.ts';

export type Campaign = Answer<'getCampaign'>;
export type Kept = Answer<'getFile'>;
export type Report = NonNullable<Kept['report']>;
export type Wishes = NonNullable<Kept['options']>;
type Change = NonNullable<Asked<'amendCampaign'>['body']>;

export const STEPS = ['file', 'people', 'text', 'cost', 'sending', 'test', 'start'] as const;
export type Step = (typeof STEPS)[number];

export interface Draft {
  readonly campaign: Campaign;
  readonly kept: Kept;
  readonly wishes: Wishes;
  readonly judging: Judging;
  readonly to: (step: Step) => string;
}

export function useMaking() {
  const { language } = useChoice();
  return { says: makingIn(language), fileSays: fileWordsIn(language), language };
}

/** The default options of reading it. */
const NOTHING_SAID: Wishes = { repair: [], takeHidden: false, take: [], leaveOut: [], asWritten: false };

export const wishesOf = ({ options }: Kept): Wishes => options ?? NOTHING_SAID;

/** In the form of the query. */
export function queryOf({ repair, phoneColumn, sheet, takeHidden, take = [], leaveOut, asWritten }: Wishes) {
  return {
    takeHidden,
    asWritten,
    ...(repair.length > 0 ? { repair: repair.join(',') } : {}),
    ...(take.length > 0 ? { take: take.join(',') } : {}),
    ...(leaveOut.length > 0 ? { leaveOut: leaveOut.join(',') } : {}),
    ...(phoneColumn ? { phoneColumn } : {}),
    ...(sheet ? { sheet } : {}),
  };
}

type Judged = ReturnType<typeof useAct<'countFile'>>;

export interface Judging {
  readonly isUnderWay: boolean;
  readonly end: Judged['end'];
  readonly judge: (wishes: Wishes, row?: number) => Promise<Report | undefined>;
}

/** Checks the file again after a relevant change; a single time for each text and file. */
export function useJudging(campaign: Campaign, kept: Kept): Judging {
  const { act, end, isUnderWay, forget } = useAct('countFile');
  const { id, text, state, from } = campaign;
  const tried = useRef('');
  const judge = useCallback(
    (wishes: Wishes, row?: number) =>
      act({ id, dryRun: true, ...queryOf(wishes), ...(row === undefined ? {} : { row }) }),
    [act, id],
  );
  const { keptAt, report, country, replaceCostly } = kept;
  const about = [keptAt, text, country, replaceCostly, from].join('\n');
  const isOpen = state === 'draft' && keptAt !== null && report === null && !isUnderWay;
  useEffect(() => {
    if (!isOpen || tried.current === about) return;
    tried.current = about;
    forget();
    void judge(wishesOf(kept));
  }, [isOpen, about, judge, kept, forget]);
  return { isUnderWay, end, judge };
}

const SOON_MS = 700;

export interface Keeping {
  readonly state: 'kept' | 'under way' | 'not kept';
  readonly end: ReturnType<typeof useAct>['end'];
  /** Saved soon, together with further changes. */
  readonly change: (more: Change) => void;
  /** Saved at once. */
  readonly keep: () => Promise<boolean>;
}

/** Input is saved without a button; unsaved input is saved when the page is left. */
export function useKeeping(id: string): Keeping {
  const { act, end } = useAct('amendCampaign');
  const waiting = useRef<Change>({});
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [state, setState] = useState<Keeping['state']>('kept');
  const sendWaiting = useCallback(async (): Promise<boolean> => {
    const body = waiting.current;
    if (Object.keys(body).length === 0) return true;
    waiting.current = {};
    const done = await act({ id, body });
    // Input since then is newer.
    if (!done) waiting.current = { ...body, ...waiting.current };
    const isAllKept = Object.keys(waiting.current).length === 0;
    setState(isAllKept ? 'kept' : done ? 'under way' : 'not kept');
    return done !== undefined;
  }, [act, id]);
  // Sequential: otherwise the older request could arrive last, or be retried after the newer one.
  const last = useRef<Promise<boolean>>(Promise.resolve(true));
  const keep = useCallback((): Promise<boolean> => {
    clearTimeout(due.current);
    last.current = last.current.then(sendWaiting);
    return last.current;
  }, [sendWaiting]);
  const change = useCallback(
    (more: Change) => {
      waiting.current = { ...waiting.current, ...more };
      setState('under way');
      clearTimeout(due.current);
      due.current = setTimeout(() => void keep(), SOON_MS);
    },
    [keep],
  );
  useEffect(() => {
    // The last moment of the page, so it waits for nothing.
    const leave = (): void => void sendWaiting();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      void keep();
    };
  }, [keep, sendWaiting]);
  return { state, end, change, keep };
}

/** Names of countries in the language. */
export function countryNames(language: string): Intl.DisplayNames {
  return new Intl.DisplayNames([language], { type: 'region' });
}

/** The provider's countries first; the API decides which are accepted. */
export const COUNTRIES = ['SN', 'CI', 'ML', 'BF', 'BJ', 'TG', 'NE', 'GN', 'GW', 'GM', 'GH', 'NG', 'CM'] as const;
