/** The daily report: opening balance, in, out, closing balance; to save, print or recalculate. */
import { useId } from 'react';
import { useSearchParams } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { DownloadButton } from '../parts/download-button.tsx';
import { AsOf, Count, Money, dayIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';
import type { Words } from '../words/words.ts';

type Report = Answer<'getDailyReport'>;
type Row = Report['rows'][number];
type Figure = keyof Words['pages']['reports']['figures'];

/** The daily totals: what goes in, what goes out, and the rest. */
const BOOK: readonly Figure[] = ['opening', 'accepted', 'succeeded', 'failed', 'rejected', 'cancelled', 'closing'];
const BESIDE: readonly Figure[] = ['inDoubt', 'reversed', 'collected', 'credited', 'creditsOpen'];

/** Yesterday, in the reader's time zone. */
function yesterday(): string {
  const day = new Date();
  day.setDate(day.getDate() - 1);
  return new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

export function Reports() {
  const { shell } = useWords();
  const [search, setSearch] = useSearchParams();
  const date = search.get('date') ?? yesterday();
  const report = useAsk('getDailyReport', { date }, { everyMs: 60_000, keeps: true });
  return (
    <Page title={shell.reports} beside={<Files date={date} />}>
      <Day date={date} choose={(chosen) => setSearch({ date: chosen })} />
      <Read of={report}>{(read, at) => <Told report={read} at={at} />}</Read>
    </Page>
  );
}

function Day({ date, choose }: { readonly date: string; readonly choose: (date: string) => void }) {
  const { pages } = useWords();
  const field = useId();
  return (
    <div className="mb-4 print:hidden">
      <label htmlFor={field} className="mr-2 font-medium">
        {pages.reports.day}
      </label>
      <input
        id={field}
        type="date"
        className="field w-auto"
        value={date}
        onChange={({ target }) => target.value !== '' && choose(target.value)}
      />
    </div>
  );
}

function Files({ date }: { readonly date: string }) {
  const { pages } = useWords();
  return (
    <div className="flex flex-wrap gap-3 print:hidden">
      <DownloadButton id="getDailyReport" asked={{ date }} name={`relais-${date}.csv`} />
      <button type="button" className="button" onClick={() => print()}>
        {pages.reports.print}
      </button>
    </div>
  );
}

function Told({ report: { date, timezone, closed, rows }, at }: { readonly report: Report; readonly at: number }) {
  const words = useWords();
  const says = words.pages.reports;
  return (
    <>
      <p className="mb-4 flex items-center gap-2" data-closed={closed}>
        <Sign tone={closed ? 'done' : 'moving'} />{' '}
        {(closed ? says.closed : says.open)(`${dayIn(words, date)} (${timezone})`)}
      </p>
      {rows.length === 0 && <Notice>{says.empty}</Notice>}
      {rows.map((row) => (
        <OfAccount key={`${row.account}${row.country ?? ''}`} row={row} />
      ))}
      <AsOf at={at} />
    </>
  );
}

function OfAccount({ row }: { readonly row: Row }) {
  const { pages } = useWords();
  const says = pages.reports;
  const shown = BESIDE.filter((figure) => row[figure].count !== 0 || row[figure].xof !== 0);
  const texts = Object.values(row.texts).reduce((sum, count) => sum + count, 0);
  return (
    <Section title={`${row.account}${row.country === null ? '' : `, ${row.country}`}`}>
      <Sums row={row} figures={BOOK} caption={says.book} />
      {shown.length > 0 && <Sums row={row} figures={shown} caption={says.beside} />}
      {texts > 0 && (
        <p className="mt-3">
          {says.texts} {says.sent} <Count value={row.texts.sent} />, {says.notSent} <Count value={row.texts.failed} />
          , {says.uncertain} <Count value={row.texts.unknown} />, {says.late} <Count value={row.texts.expired} />.{' '}
          {row.costEstimated === null ? (
            says.noPrice
          ) : (
            <>
              {says.cost} <Money xof={row.costEstimated} />
            </>
          )}
        </p>
      )}
    </Section>
  );
}

interface SumsProps {
  readonly row: Row;
  readonly figures: readonly Figure[];
  readonly caption: string;
}

const SIGNS: Readonly<Partial<Record<Figure, string>>> = {
  accepted: '+',
  succeeded: '−',
  failed: '−',
  rejected: '−',
  cancelled: '−',
  closing: '=',
};

function Sums({ row, figures, caption }: SumsProps) {
  const { pages } = useWords();
  const says = pages.reports;
  return (
    <table className="mb-3 w-full">
      <caption className="pb-1 text-left text-sm text-quiet">{caption}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{caption}</th>
          <th scope="col">{pages.today.count}</th>
          <th scope="col">{pages.today.amount}</th>
        </tr>
      </thead>
      <tbody>
        {figures.map((figure) => (
          <tr
            key={figure}
            data-figure={figure}
            className={figure === 'closing' ? 'border-t border-line font-semibold' : ''}
          >
            <th scope="row" className="py-1 text-left font-normal">
              <span className="inline-block w-4 text-quiet">{SIGNS[figure]}</span> {says.figures[figure]}
            </th>
            <td className="pl-4 text-right" data-count={row[figure].count}>
              <Count value={row[figure].count} />
            </td>
            <td className="pl-4 text-right" data-xof={row[figure].xof}>
              <Money xof={row[figure].xof} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
