/** Balances over time as workers read them: the provider calls its own figures an approximation. */
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { usePages } from '../asking/queries.ts';
import { Course, type Point } from '../parts/course.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { AccountChoice } from '../parts/field.tsx';
import { Moment, Money } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Section } from '../parts/page.tsx';
import { Paged } from '../parts/paged.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';

type Look = Answer<'getBalancesSeen'>['items'][number];

const SPANS = { day: 86_400_000, week: 7 * 86_400_000, month: 31 * 86_400_000 } as const;
type Span = keyof typeof SPANS;
const spans = Object.keys(SPANS) as readonly Span[];

/** The start of the period is fixed when it is chosen, so that the request does not change by itself. */
function useSpan(): { readonly span: Span; readonly from: string; readonly choose: (span: Span) => void } {
  const [search, setSearch] = useSearchParams();
  const [openedAt] = useState(() => Date.now());
  const span = spans.find((one) => one === search.get('span')) ?? 'day';
  return {
    span,
    from: new Date(openedAt - SPANS[span]).toISOString(),
    choose: (one) => setSearch({ span: one }, { replace: true }),
  };
}

export function Balances() {
  const { shell, desk } = useWords();
  const says = desk.balances;
  const { span, from, choose } = useSpan();
  const [account, setAccount] = useState('main');
  return (
    <Page
      title={shell.balances}
      beside={<DownloadButton id="getBalancesSeen" asked={{ account, from }} name="balances.csv" />}
    >
      <p className="mb-4 text-quiet">{says.lead}</p>
      <AccountChoice account={account} choose={setAccount} />
      <div role="group" aria-label={says.span} className="mb-4 flex flex-wrap gap-2">
        {spans.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === span}
            className={`button ${one === span ? 'border-accent bg-accent-soft text-accent' : ''}`}
            onClick={() => choose(one)}
          >
            {says.spans[one]}
          </button>
        ))}
      </div>
      <Looks key={`${account}${from}`} account={account} from={from} />
    </Page>
  );
}

/** Five weeks at ten minutes each are 5,040 readings; the chart shows all that were read. */
const PAGE = 1_000;

function Looks({ account, from }: { readonly account: string; readonly from: string }) {
  const { desk } = useWords();
  const looks = usePages('getBalancesSeen', { account, from, limit: PAGE }, { everyMs: 60_000, held: Infinity });
  return (
    <Paged of={looks} source="service">
      {(pages) => {
        const all = pages.flatMap(({ items }) => items);
        const countries = [...new Set(all.flatMap(({ balances }) => Object.keys(balances)))].toSorted();
        if (all.length === 0) return <Notice>{desk.balances.none}</Notice>;
        return countries.map((country) => <OfCountry key={country} country={country} looks={all} />);
      }}
    </Paged>
  );
}

interface OfCountryProps {
  readonly country: string;
  /** Newest first. */
  readonly looks: readonly Look[];
}

const ROWS = 12;

function OfCountry({ country, looks }: OfCountryProps) {
  const { desk, figures } = useWords();
  const says = desk.balances;
  const name = new Intl.DisplayNames([figures.locale], { type: 'region' }).of(country) ?? country;
  const points = looks.map(({ at, balances }): Point => ({ at: Date.parse(at), xof: balances[country] ?? null }));
  const [newest] = points;
  return (
    <Section
      title={name}
      beside={<span className="text-lg font-semibold">{newest && <Left xof={newest.xof} />}</span>}
    >
      <Course label={name} points={points.toReversed()} />
      <details>
        <summary className="link">{says.newest}</summary>
        <Table caption={name} columns={[{ name: desk.audit.when }, { name: says.left, right: true }]}>
          {points.slice(0, ROWS).map(({ at, xof }) => (
            <Line key={at}>
              <Cell>
                <Moment at={new Date(at).toISOString()} />
              </Cell>
              <Cell right>
                <Left xof={xof} />
              </Cell>
            </Line>
          ))}
        </Table>
      </details>
    </Section>
  );
}

function Left({ xof }: { readonly xof: number | null }) {
  const { pages } = useWords();
  return xof === null ? pages.today.notRead : <Money xof={xof} />;
}
