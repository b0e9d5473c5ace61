/** For a key limited to some accounts: its own lists, instead of figures of all accounts. */
import { Link } from 'wouter';
import { type AnyRow, type Listed, kindOf } from '../asking/kinds.ts';
import { useAsk } from '../asking/queries.ts';
import { AsOf } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Failed, Loading, Read, Section } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { useAwaiting } from './approvals-list.ts';
import { Batches } from './today-batches.tsx';

const FIRST = 5;
/** For a page, ten times as many operations of all accounts are read. */
const PAGE = 50;
const UNTIL_ONE = { everyMs: 10_000, least: 1 };
const GOING = ['running', 'held', 'paused', 'scheduled'] as const;

export function TodayOfSome() {
  const { pages, shell, parts } = useWords();
  const says = pages.today;
  const review = useAsk('listReview', { limit: PAGE }, UNTIL_ONE);
  const campaigns = useAsk('listCampaigns', { state: [...GOING], limit: FIRST }, UNTIL_ONE);
  const noneOf = (none: string, next: string | null): string => (next === null ? none : parts.notAllRead);
  return (
    <>
      <p className="mb-4 text-quiet">{says.ofSome}</p>
      <Section title={shell.review} beside={<More to="/review" />}>
        <Read of={review}>
          {({ items, next }, at) => (
            <Few
              rows={items.slice(0, FIRST)}
              none={noneOf(says.nothingWaits, next)}
              at={at}
              to={({ id }) => `/review?id=${id}`}
            />
          )}
        </Read>
      </Section>
      <Section title={shell.approvals} beside={<More to="/approvals" />}>
        <Awaiting />
      </Section>
      <Batches />
      <Section title={says.campaigns} beside={<More to="/campaigns" />}>
        <Read of={campaigns}>
          {({ items, next }, at) => <Few rows={items} none={noneOf(says.noCampaign, next)} at={at} />}
        </Read>
      </Section>
    </>
  );
}

function Awaiting() {
  const { pages, parts } = useWords();
  const { rows, at, error, isRead, isWhole, again } = useAwaiting();
  if (!isRead) return error === null ? <Loading /> : <Failed error={error} again={again} />;
  const none = isWhole ? pages.today.nothingWaits : parts.notAllRead;
  return <Few rows={rows.slice(0, FIRST)} none={none} at={at} to={({ id }) => `/approvals/${id}`} />;
}

function More({ to }: { readonly to: string }) {
  const { parts } = useWords();
  return (
    <Link to={to} className="link">
      {parts.every}
    </Link>
  );
}

interface FewProps {
  readonly rows: readonly AnyRow[];
  readonly none: string;
  readonly at: number;
  readonly to?: (row: AnyRow) => string;
}

function Few({ rows, none, at, to }: FewProps) {
  if (rows.length === 0) return <p className="text-quiet">{none}</p>;
  const ofKind = ({ id }: AnyRow): Listed => kindOf(id) ?? 'disbursement';
  return (
    <>
      <Rows caption={none} rows={rows} kindOf={ofKind} withKind {...(to ? { to } : {})} />
      <AsOf at={at} />
    </>
  );
}
