/** The rows of a batch, a page at a time: recipients with the columns of the file, unpaid ones first. */
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { pageOf } from '../asking/kinds.ts';
import { useAsk, usePages } from '../asking/queries.ts';
import { AsOf, Money, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Read } from '../parts/page.tsx';
import { Paged } from '../parts/paged.tsx';
import { Reason } from '../parts/reason.tsx';
import { StateSign } from '../parts/state.tsx';
import { Wallet } from '../parts/wallet.tsx';
import { type OutcomeName, rowTone, rowWord } from './batch-outcome.tsx';

type BatchRow = Answer<'listBatchRows'>['items'][number];

interface RowsProps {
  readonly id: string;
  readonly outcome?: OutcomeName | undefined;
  /** Number of rows shown before the user asks for all. */
  readonly first?: number;
  readonly everyMs?: number;
  /** Additional content beside a row. */
  readonly beside?: (row: BatchRow) => ReactNode;
}

/** The API's maximum page size; ten thousand rows are twenty pages. */
const PAGE = 500;
const HELD = 20;

export function BatchRows(given: RowsProps) {
  const [isAll, setAll] = useState(false);
  return isAll ? <AllRows {...given} /> : <FirstRows {...given} onAll={() => setAll(true)} />;
}

const askedOf = ({ id, outcome }: RowsProps) => ({ id, ...(outcome === undefined ? {} : { outcome }) });

function FirstRows({ onAll, ...given }: RowsProps & { readonly onAll: () => void }) {
  const { paying } = useWords();
  const { first = 20, everyMs, beside } = given;
  const rows = useAsk(
    'listBatchRows',
    { ...askedOf(given), limit: first },
    { keeps: true, ...(everyMs ? { everyMs } : {}) },
  );
  return (
    <Read of={rows}>
      {({ items, next }, at) => (
        <>
          <List rows={items} beside={beside} />
          {next !== null && (
            <button type="button" className="button mt-4" data-more="all" onClick={onAll}>
              {paying.showAll}
            </button>
          )}
          <AsOf at={at} />
        </>
      )}
    </Read>
  );
}

function AllRows({ everyMs, beside, ...given }: RowsProps) {
  const list = usePages(
    'listBatchRows',
    { ...askedOf(given), limit: PAGE },
    { held: HELD, ...(everyMs ? { everyMs } : {}) },
  );
  return <Paged of={list}>{(pages) => <List rows={pages.flatMap(({ items }) => items)} beside={beside} />}</Paged>;
}

function List({ rows, beside }: { readonly rows: readonly BatchRow[]; readonly beside: RowsProps['beside'] }) {
  const { paying } = useWords();
  if (rows.length === 0) return <p className="text-quiet">{paying.noRows}</p>;
  return (
    <ul className="divide-y divide-line">
      {rows.map((row) => (
        <Row key={row.row} row={row} beside={beside?.(row)} />
      ))}
    </ul>
  );
}

function Row({ row: line, beside }: { readonly row: BatchRow; readonly beside: ReactNode }) {
  const words = useWords();
  const { id, row, accountAlias, amount, withdrawMode, state, reference, reason, own = {} } = line;
  const columns = Object.entries(own).filter(([, value]) => value.trim() !== '');
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 py-2.5" data-row={row}>
      <div className="min-w-0 flex-1 basis-56 wrap-anywhere">
        {columns.length > 0 && (
          <p className="flex flex-wrap gap-x-3">
            {columns.map(([heading, value]) => (
              <span key={heading}>
                <span className="text-sm text-quiet">{heading}</span> <span className="font-medium">{value}</span>
              </span>
            ))}
          </p>
        )}
        <p>
          {id === null ? (
            accountAlias
          ) : (
            <Link to={pageOf(id)} className="link">
              {accountAlias}
            </Link>
          )}{' '}
          <span className="text-sm text-quiet">
            <Wallet mode={withdrawMode} /> · {reference} ·{' '}
            <span className="whitespace-nowrap">{words.pages.campaign.row(countIn(words, row))}</span>
          </span>
        </p>
        {reason !== null && (
          <p className="text-sm">
            <Why reason={reason} />
          </p>
        )}
        {beside}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {state !== 'waiting' && <StateSign tone={rowTone(state)} state={state} word={rowWord(words, state)} />}
        <span className="font-medium">
          <Money xof={amount} />
        </span>
      </div>
    </li>
  );
}

/** A reason code of relais, or a sentence from acceptance. */
function Why({ reason }: { readonly reason: string }) {
  return /^[\w.-]+$/.test(reason) ? <Reason word={reason} /> : <>{reason}</>;
}
