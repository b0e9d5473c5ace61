/** What relais cannot know: evidence left, verdict right, the next by keyboard. */
import { useEffect } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { type AnyRow, kindOf, xofOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AsOf, Money, Since } from '../parts/figures.tsx';
import { Arrow } from '../parts/arrow.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { Reason } from '../parts/reason.tsx';
import { titleOf } from '../parts/rows.tsx';
import { State } from '../parts/state.tsx';
import { isTyping } from '../shell/search-field.tsx';
import { Said } from './operation.tsx';
import { Facts } from './operation-facts.tsx';
import { BatchVerdict, Verdict } from './review-verdict.tsx';

type Item = Answer<'listReview'>['items'][number];

const MOST = 100;

export function Review() {
  const { shell, pages, desk } = useWords();
  const { may } = useSession();
  const says = pages.review;
  const review = useAsk('listReview', { limit: MOST }, { everyMs: 10_000 });
  const many = may('approve') && (
    <Link to="/review/many" className="button">
      {desk.many.link}
    </Link>
  );
  return (
    <Page title={shell.review} beside={many}>
      <Read of={review}>
        {({ items, next }, at) => (
          <>
            {items.length === 0 ? (
              <Notice title={says.noneTitle}>{says.none}</Notice>
            ) : (
              <Desk items={items} isMore={next !== null} />
            )}
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

/** The one in the address; where that is decided already, the oldest. */
function useChosen(items: readonly Item[]) {
  const [search, setSearch] = useSearchParams();
  const wished = items.findIndex(({ id }) => id === search.get('id'));
  const at = Math.max(0, wished);
  const choose = (index: number): void => {
    const item = items[Math.min(Math.max(0, index), items.length - 1)];
    if (item) setSearch({ id: item.id }, { replace: true });
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === 'j') choose(at + 1);
      if (event.key === 'k') choose(at - 1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return { at, choose };
}

function Desk({ items, isMore }: { readonly items: readonly Item[]; readonly isMore: boolean }) {
  const { pages, parts } = useWords();
  const says = pages.review;
  const { at, choose } = useChosen(items);
  const item = items[at];
  if (item === undefined) return null;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <button type="button" className="button" disabled={at === 0} onClick={() => choose(at - 1)}>
          <Arrow to="left" /> <kbd className="text-sm text-quiet">k</kbd>
          <span className="sr-only">{says.before}</span>
        </button>
        <p aria-live="polite" data-at={at + 1} data-of={items.length}>
          {parts.of(String(at + 1), `${String(items.length)}${isMore ? '+' : ''}`)}
        </p>
        <button type="button" className="button" disabled={at === items.length - 1} onClick={() => choose(at + 1)}>
          <kbd className="text-sm text-quiet">j</kbd> <Arrow to="right" />
          <span className="sr-only">{says.next}</span>
        </button>
        <p className="hidden text-sm text-quiet lg:block">{says.keys}</p>
      </div>
      {/* The one behind it, as it was seen: in the list that is read meanwhile its place is another. */}
      <Case key={item.id} item={item} onDecided={() => choose(at + 1 < items.length ? at + 1 : at - 1)} />
    </>
  );
}

interface CaseProps {
  readonly item: Item;
  readonly onDecided: () => void;
}

function Case({ item, onDecided }: CaseProps) {
  const { pages, kinds, parts } = useWords();
  const kind = kindOf(item.id);
  if (item.state === 'unreadable' || kind === undefined) return <Notice title={item.id}>{parts.unreadable}</Notice>;
  const row = item as AnyRow;
  const xof = xofOf(row);
  return (
    <div className="grid gap-5 lg:grid-cols-2" data-case={item.id}>
      <div className="min-w-0">
        <Section title={pages.review.evidence}>
          <p className="flex flex-wrap items-center gap-3">
            <State kind={kind} state={row.state} />
            {xof !== undefined && (
              <span className="text-2xl font-semibold">
                <Money xof={xof} />
              </span>
            )}
          </p>
          <p className="mt-2 text-lg">
            {kinds[kind]} · {titleOf(row)}
          </p>
          <p className="mt-2">{row.reason ? <Reason word={row.reason} /> : null}</p>
          {row.updatedAt !== undefined && (
            <p className="mt-1 text-sm text-quiet">
              <Since at={row.updatedAt} />
            </p>
          )}
        </Section>
        <Said history={row.history ?? []} dropped={row.historyDropped ?? 0} />
        <Facts operation={row} />
      </div>
      <div className="min-w-0 lg:sticky lg:top-20 lg:self-start">
        {kind === 'batch' ? (
          <BatchVerdict id={item.id} />
        ) : (
          <Verdict kind={kind} id={item.id} onDecided={onDecided} />
        )}
      </div>
    </div>
  );
}
