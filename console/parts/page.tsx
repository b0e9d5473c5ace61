/** A page, and its display before there is data. */
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Refused, troubleOf } from '../asking/ask.ts';
import { useSession } from '../asking/session.tsx';
import type { Role } from '../shell/entries.ts';
import { useWords } from './language.tsx';

interface PageProps {
  readonly title: string;
  readonly beside?: ReactNode;
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

/** The first page keeps the browser's position; a page reached with "back" keeps its own. */
let isFirst = true;
let isBack = false;
addEventListener('popstate', () => (isBack = true));
// The router emits this for every forward navigation.
addEventListener('pushState', () => (isBack = false));

/** The pressed element is gone with the previous page: focus moves to the new page's title. */
function useArrival() {
  const name = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) name.current?.focus({ preventScroll: true });
    if (!isFirst && !isBack) scrollTo({ top: 0 });
    isFirst = false;
  }, []);
  return name;
}

export function Page({ title, beside, above, children }: PageProps) {
  const { shell } = useWords();
  const name = useArrival();
  useEffect(() => {
    document.title = shell.page(title);
  }, [shell, title]);
  return (
    <div className="mx-auto max-w-6xl px-4 py-6 sm:px-6 lg:px-8">
      {above}
      <div className="mb-5 flex flex-wrap items-center justify-between gap-3">
        <h1 ref={name} tabIndex={-1} className="text-2xl font-semibold outline-none">
          {title}
        </h1>
        {beside}
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly beside?: ReactNode;
}

export function Section({ title, children, beside }: SectionProps) {
  return (
    <section className="sheet mb-5 p-4 sm:p-5">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-2">
        <h2 className="text-lg font-semibold">{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  );
}

/** Grey lines as placeholders, which cannot be mistaken for figures. */
export function Loading() {
  const { parts } = useWords();
  return (
    <div role="status" className="sheet animate-pulse space-y-3 p-5 motion-reduce:animate-none">
      <span className="sr-only">{parts.loading}</span>
      {['w-1/2', 'w-4/5', 'w-2/3', 'w-3/4'].map((width) => (
        <div key={width} className={`h-4 rounded bg-sunk ${width}`} />
      ))}
    </div>
  );
}

interface NoticeProps {
  readonly title?: string;
  readonly children: ReactNode;
  readonly after?: ReactNode;
}

export function Notice({ title, children, after }: NoticeProps) {
  return (
    <div className="sheet flex flex-col items-start gap-2 p-6">
      {title !== undefined && <h2 className="text-lg font-semibold">{title}</h2>}
      <div className="text-quiet">{children}</div>
      {after}
    </div>
  );
}

interface NotAllowedProps {
  /** Any one is sufficient. Absent: relais refuses the request with its own text. */
  readonly needs?: readonly Role[];
  readonly ofAll?: boolean;
}

export function NotAllowed({ needs = [], ofAll = false }: NotAllowedProps) {
  const { parts, roles } = useWords();
  const { session, may } = useSession();
  const mine = session.roles.map((role) => roles[role] ?? role).join(', ');
  const missing = needs.some(may) ? [] : needs;
  return (
    <Notice title={parts.forbiddenTitle}>
      <div data-forbidden={missing.join(' ')}>
        {missing.length > 0 && (
          <p>{parts.missing(missing.map((role) => `${roles[role] ?? role} (${role})`).join(', '))}</p>
        )}
        {ofAll && session.accounts !== null && <p>{parts.missingAll}</p>}
        <p>{parts.forbidden(mine)}</p>
      </div>
    </Notice>
  );
}

export function Failed({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const { parts, ends, trouble } = useWords();
  if (error instanceof Refused && error.status === 403) return <NotAllowed />;
  if (error instanceof Refused && error.status === 404) {
    return <Notice title={parts.notFoundTitle}>{parts.notFound}</Notice>;
  }
  const why = trouble[troubleOf(error) ?? ''] ?? parts.failed;
  const exact = error instanceof Error ? error.message : String(error);
  return (
    <Notice
      title={parts.failedTitle}
      after={
        <>
          <button type="button" className="button" onClick={again}>
            {parts.again}
          </button>
          <details className="text-sm text-quiet">
            <summary>{ends.exact}</summary>
            {exact}
          </details>
        </>
      }
    >
      {why}
    </Notice>
  );
}

interface ReadProps<T> {
  readonly of: UseQueryResult<T>;
  readonly children: (data: T, at: number) => ReactNode;
}

/** Data stays visible when the next request fails: the line above all pages shows its age. */
export function Read<T>({ of, children }: ReadProps<T>) {
  if (of.data !== undefined) return children(of.data, of.dataUpdatedAt);
  if (of.error !== null) return <Failed error={of.error} again={() => void of.refetch()} />;
  return <Loading />;
}
