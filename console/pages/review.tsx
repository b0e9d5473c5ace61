/** Reviews: evidence on the left, decision on the right, the next one by keyboard. */
import { useEffect } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Answer, Asked } from '../asking/ask.ts';
import { type AnyRow, getters, kindOf, pageOf, xofOf } from '../asking/kinds.ts';
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
  const { shell, pages, desk, parts } = useWords();
  const { may } = useSession();
  const says = pages.review;
  const review = useAsk('listReview', { limit: MOST }, { everyMs: 10_000, least: 1 });
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
            {items.length > 0 && <Desk items={items} isMore={next !== null} />}
            {items.length === 0 && next === null && <Notice title={says.noneTitle}>{says.none}</Notice>}
            {items.length === 0 && next !== null && <Notice>{parts.notAllRead}</Notice>}
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

/** The item in the address, and no other: -1 if the list lacks it. Without an address, the oldest. */
function useChosen(items: readonly Item[]) {
  const [search, setSearch] = useSearchParams();
  const wished = search.get('id');
  const at = wished === null ? 0 : items.findIndex(({ id }) => id === wished);
  const open = (item: Item | undefined): void => setSearch(item ? { id: item.id } : {}, { replace: true });
  const choose = (index: number): void => {
    const item = items[Math.min(Math.max(0, index), items.length - 1)];
    if (item) open(item);
  };
  useEffect(() => {
    // If another user decides the open item, the next one must not appear under the user's input.
    if (wished === null) open(items[0]);
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === 'j') choose(at + 1);
      if (event.key === 'k') choose(at - 1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return { wished, at, choose, goOn: () => open(items[at + 1] ?? items[at - 1]) };
}

/** An item that is not in the list: it is on another page, or already decided. */
function useOther(id: string | null) {
  const kind = kindOf(id ?? '');
  const getter = getters[kind ?? 'disbursement'] as 'getDisbursement';
  const asked = { id: id ?? '' } as Asked<'getDisbursement'>;
  return useAsk(getter, asked, { everyMs: 10_000, enabled: kind !== undefined });
}

function Desk({ items, isMore }: { readonly items: readonly Item[]; readonly isMore: boolean }) {
  const { pages, parts } = useWords();
  const says = pages.review;
  const { wished, at, choose, goOn } = useChosen(items);
  const listed: AnyRow | undefined = items[at];
  const other = useOther(listed ? null : wished);
  const item = listed ?? (other.data?.state === 'needs_review' ? other.data : undefined);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <button type="button" className="button" disabled={at < 1} onClick={() => choose(at - 1)}>
          <Arrow to="left" /> <kbd className="text-sm text-quiet">k</kbd>
          <span className="sr-only">{says.before}</span>
        </button>
        <p aria-live="polite" data-at={at + 1} data-of={items.length}>
          {parts.of(at < 0 ? '–' : String(at + 1), `${String(items.length)}${isMore ? '+' : ''}`)}
        </p>
        <button type="button" className="button" disabled={at === items.length - 1} onClick={() => choose(at + 1)}>
          <kbd className="text-sm text-quiet">j</kbd> <Arrow to="right" />
          <span className="sr-only">{says.next}</span>
        </button>
        <p className="hidden text-sm text-quiet lg:block">{says.keys}</p>
      </div>
      {/* The following item of the earlier list: the refreshed list has other positions. */}
      {item && <Case key={item.id} item={item} onDecided={goOn} />}
      {!item && <NoCase id={wished} of={other} />}
    </>
  );
}

interface NoCaseProps {
  readonly id: string | null;
  readonly of: ReturnType<typeof useOther>;
}

/** The item needs no decision, or is unreadable: no other is shown that the user could decide by mistake. */
function NoCase({ id, of }: NoCaseProps) {
  const { pages, parts } = useWords();
  if (id === null || kindOf(id) === undefined) return <Notice title={parts.notFoundTitle}>{parts.notFound}</Notice>;
  return (
    <Read of={of}>
      {({ state }) => (
        <div data-decided={state}>
          <Notice
            after={
              <Link to={pageOf(id)} className="link">
                {pages.approvals.seeIt}
              </Link>
            }
          >
            {pages.approvals.over}
          </Notice>
        </div>
      )}
    </Read>
  );
}

interface CaseProps {
  readonly item: AnyRow;
  readonly onDecided: () => void;
}

function Case({ item, onDecided }: CaseProps) {
  const { pages, kinds, parts } = useWords();
  const kind = kindOf(item.id);
  if (kind === undefined) return <Notice title={item.id}>{parts.unreadable}</Notice>;
  const xof = xofOf(item);
  return (
    <div className="grid gap-5 lg:grid-cols-2" data-case={item.id}>
      <div className="min-w-0">
        <Section title={pages.review.evidence}>
          <p className="flex flex-wrap items-center gap-3">
            <State kind={kind} state={item.state} />
            {xof !== undefined && (
              <span className="text-2xl font-semibold">
                <Money xof={xof} />
              </span>
            )}
          </p>
          <p className="mt-2 text-lg">
            {kinds[kind]} · {titleOf(item)}
          </p>
          <p className="mt-2">{item.reason ? <Reason word={item.reason} /> : null}</p>
          {item.updatedAt !== undefined && (
            <p className="mt-1 text-sm text-quiet">
              <Since at={item.updatedAt} />
            </p>
          )}
        </Section>
        <Said history={item.history ?? []} dropped={item.historyDropped ?? 0} />
        <Facts operation={item} />
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
