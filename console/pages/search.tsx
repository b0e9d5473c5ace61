/** Every match of a number or a name, of every kind. */
import { useSearchParams } from 'wouter';
import { type AnyRow, type Listed, getters, kindOf } from '../asking/kinds.ts';
import { useQueries } from '@tanstack/react-query';
import { ask } from '../asking/ask.ts';
import { keyOf, useAsk } from '../asking/queries.ts';
import { AsOf } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { ProviderStatistics } from './search-statistics.tsx';
import { Texted } from './search-texted.tsx';

export function Search() {
  const { pages } = useWords();
  const [search] = useSearchParams();
  const q = search.get('q')?.trim() ?? '';
  const says = pages.search;
  return (
    <Page title={q === '' ? says.title : says.found(q)}>
      {q === '' ? <Notice>{says.hint}</Notice> : <Found q={q} />}
    </Page>
  );
}

/** This many digits are a number, in any grouping. */
const isNumber = (q: string): boolean => /^[+\d][\d\s().-]*$/.test(q) && q.replace(/\D/g, '').length >= 8;

function Found({ q }: { readonly q: string }) {
  const { pages } = useWords();
  const says = pages.search;
  const found = useAsk('search', { q }, { everyMs: 15_000 });
  return (
    <>
      <Read of={found}>
        {({ items }, at) =>
          items.length === 0 ? (
            <Notice title={says.noneTitle}>{says.none}</Notice>
          ) : (
            <>
              <Whole rows={items} caption={says.found(q)} />
              <AsOf at={at} />
            </>
          )
        }
      </Read>
      {isNumber(q) && (
        <div className="mt-6">
          <Section title={says.texted}>
            <Texted key={q} phone={q} />
          </Section>
          <ProviderStatistics key={q} phone={q} />
        </div>
      )}
    </>
  );
}

const READ_WHOLE = 12;

interface WholeProps {
  readonly rows: readonly AnyRow[];
  readonly caption: string;
}

/** Search results lack amount and person: the first few are read in full, which also prepares their pages. */
function Whole({ rows, caption }: WholeProps) {
  const read = useQueries({
    queries: rows.slice(0, READ_WHOLE).map(({ id }) => {
      const getter = getters[kindOf(id) ?? 'disbursement'] as 'getDisbursement';
      return {
        queryKey: keyOf(getter, { id }),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => ask(getter, { id }, signal),
      };
    }),
  });
  const whole = new Map(read.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data as AnyRow] as const])));
  return (
    <Rows
      caption={caption}
      rows={rows.map((row) => whole.get(row.id) ?? row)}
      kindOf={({ id }): Listed => kindOf(id) ?? 'disbursement'}
      withKind
    />
  );
}
