/** The result of a bulk decision: how many were decided, and which were refused, and why. */
import { Link } from 'wouter';
import type { Problem } from '../../src/client/generated/api.ts';
import { pageOf } from '../asking/kinds.ts';
import { countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';

/** Answered one by one; the last line is the result. */
export type Lines = readonly {
  readonly id: string | null;
  readonly outcome: 'resolved' | 'refused' | 'done';
  readonly resolved?: number;
  readonly xof?: number;
  readonly problem?: Partial<Problem> & { readonly kind?: string };
}[];

export function Done({ lines }: { readonly lines: Lines }) {
  const words = useWords();
  const says = words.desk.many;
  const last = lines.find(({ outcome }) => outcome === 'done');
  const refused = lines.flatMap(({ id, outcome, problem }) =>
    outcome === 'refused' && id !== null ? [{ id, problem }] : [],
  );
  return (
    <Section title={says.done}>
      <div role="status" data-resolved={last?.resolved ?? 0} data-refused={refused.length}>
        {last === undefined ? (
          <p className="text-uncertain">{says.brokeOff}</p>
        ) : (
          <p>{says.resolved(says.payments(countIn(words, last.resolved ?? 0), moneyIn(words, last.xof ?? 0)))}</p>
        )}
        {refused.length > 0 && <p className="mt-3 font-medium">{says.refused(countIn(words, refused.length))}</p>}
        <ul className="divide-y divide-line">
          {refused.map(({ id, problem }) => (
            <li key={id} className="py-1.5">
              <Link to={pageOf(id)} className="link">
                {id}
              </Link>{' '}
              {words.ends.rules[problem?.rule ?? ''] ?? words.ends.rules[problem?.kind ?? ''] ?? ''}{' '}
              <span className="block text-sm text-quiet">{problem?.detail}</span>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
