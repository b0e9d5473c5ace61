/** Recent batches: in progress, and with unpaid rows. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { batchSign } from '../parts/batch-sign.ts';
import { AsOf, Moment } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { StateSign } from '../parts/state.tsx';
import { headlineIn } from './batch-outcome.tsx';

type Row = Answer<'listBatches'>['items'][number];

const SHOWN = 5;
const RECENT_MS = 7 * 86_400_000;
const STATES = ['running', 'needs_review', 'finished'] as const;

export function Batches() {
  const { paying } = useWords();
  const [createdFrom] = useState(() => new Date(Date.now() - RECENT_MS).toISOString());
  const list = useAsk(
    'listBatches',
    { state: [...STATES], createdFrom, limit: SHOWN },
    { everyMs: 10_000, least: 1 },
  );
  const rows = (list.data?.items ?? []).slice(0, SHOWN);
  if (rows.length === 0) return null;
  return (
    <Section title={paying.today}>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <Line key={row.id} row={row} />
        ))}
      </ul>
      <AsOf at={list.dataUpdatedAt} source="record" />
    </Section>
  );
}

/** A list shows the result at its finish; payments may have been settled since, so it is counted again. */
function Line({ row }: { readonly row: Row }) {
  const words = useWords();
  const now = useAsk('getBatch', { id: row.id }, { everyMs: 30_000 });
  const { id, state, fileName, createdAt, outcome } = now.data ?? row;
  return (
    <li className="py-2.5" data-batch={id}>
      <p className="flex flex-wrap items-center justify-between gap-2">
        <Link to={`/o/${id}`} className="link min-w-0 font-medium wrap-anywhere">
          {fileName ?? id}
        </Link>
        <StateSign {...batchSign(words, { state, outcome })} state={state} />
      </p>
      <p className="text-sm text-quiet">
        {outcome ? headlineIn(words, outcome) : null} {outcome ? '· ' : null}
        <Moment at={createdAt} />
      </p>
    </li>
  );
}
