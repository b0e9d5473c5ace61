/** Items that wait for an approval. */
import { type Listed, kindOf } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { AsOf } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Failed, Loading, Notice, Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { useAwaiting } from './approvals-list.ts';

export function Approvals() {
  const { shell, pages, parts } = useWords();
  const { may } = useSession();
  const says = pages.approvals;
  const { rows, at, error, isRead, isWhole, again } = useAwaiting();
  return (
    <Page title={shell.approvals}>
      {!may('approve') && <p className="mb-4 rounded-lg bg-off-soft px-3 py-2">{says.lookOnly}</p>}
      {!isRead && (error === null ? <Loading /> : <Failed error={error} again={again} />)}
      {isRead && rows.length === 0 && <Notice>{isWhole ? says.none : parts.notAllRead}</Notice>}
      {isRead && rows.length > 0 && !isWhole && <p className="mb-4 text-held">{says.notAll}</p>}
      {isRead && rows.length > 0 && (
        <Rows
          caption={shell.approvals}
          rows={rows}
          kindOf={({ id }): Listed => kindOf(id) ?? 'disbursement'}
          to={({ id }) => `/approvals/${id}`}
          withKind
        />
      )}
      {isRead && <AsOf at={at} />}
    </Page>
  );
}
