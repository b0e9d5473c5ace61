/** How much waits for a person, beside the entry that leads there. A key of some accounts has no such figure. */
import { useAsk } from '../asking/queries.ts';
import { useReach } from '../asking/session.tsx';
import { countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';

const OF_ALL = { roles: ['read'], ofAll: true } as const;

export function Waiting({ of }: { readonly of: 'approvals' | 'review' }) {
  const words = useWords();
  const enabled = useReach()(OF_ALL);
  const status = useAsk('getStatus', {}, { everyMs: 30_000, enabled });
  const isReview = ({ kind, state }: { readonly kind: string; readonly state: string }): boolean =>
    state === 'needs_review' && kind !== 'batch';
  const waiting = status.data?.waiting.filter((one) => isReview(one) === (of === 'review')) ?? [];
  const count = waiting.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  return (
    <span className="rounded-full bg-asks-soft px-2 text-sm text-asks" data-waiting={count}>
      {countIn(words, count)} <span className="sr-only">{words.shell.waiting}</span>
    </span>
  );
}
