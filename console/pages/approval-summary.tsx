/** The head of an approval: amount, state and facts. */
import type { ReactNode } from 'react';
import { AsOf } from '../parts/figures.tsx';
import { State } from '../parts/state.tsx';
import type { Kind } from '../words/states.ts';
import { Fact } from './operation-facts.tsx';

export type NamedFact = readonly [name: string, is: ReactNode];

interface SummaryProps {
  readonly kind: Kind;
  readonly state: string;
  readonly large: ReactNode;
  readonly facts: readonly NamedFact[];
  readonly at: number;
}

export function Summary({ kind, state, large, facts, at }: SummaryProps) {
  return (
    <section className="sheet mb-5 p-5">
      <div className="mb-4 flex flex-wrap items-center gap-4">
        <span className="text-3xl font-semibold">{large}</span>
        <State kind={kind} state={state} large />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        {facts.map(([name, is]) => (
          <Fact key={name} name={name} is={is} />
        ))}
      </dl>
      <AsOf at={at} source="record" />
    </section>
  );
}
