/** The frame of every page: search, navigation, user, and the line of problems. */
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useReach, useSession } from '../asking/session.tsx';
import { useStream } from '../asking/stream.ts';
import { useWords } from '../parts/language.tsx';
import { Loading } from '../parts/page.tsx';
import { NotSignedIn } from '../parts/provider.tsx';
import { ColourChoice, LanguageChoice } from './choices.tsx';
import { type Entry, JOBS, type Job, entries, entryAt } from './entries.ts';
import { JobIcon } from './job-icon.tsx';
import { Mark } from './mark.tsx';
import { Places } from './places.tsx';
import { SearchField } from './search-field.tsx';
import { Trouble } from './trouble.tsx';
import { Waiting } from './waiting.tsx';

export function Shell() {
  const { shell } = useWords();
  useStream();
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14rem_1fr]">
      <a href="#content" className="button fixed top-2 left-2 z-10 -translate-y-20 focus:translate-y-0">
        {shell.skip}
      </a>
      <aside className="hidden border-r border-line bg-sheet lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:overflow-y-auto lg:p-4">
        <Link to="/" className="mb-4 no-underline">
          <Mark />
        </Link>
        <Navigation />
        <Person />
      </aside>
      <div className="min-w-0">
        <header className="sticky top-0 border-b border-line bg-sheet">
          <div className="flex items-center gap-3 px-4 py-2 sm:px-6 lg:px-8">
            <SmallMenu />
            <SearchField />
          </div>
          <Trouble />
        </header>
        <main id="content" tabIndex={-1} className="outline-none">
          <NotSignedIn />
          <Suspense fallback={<LoadingPage />}>
            <Places />
          </Suspense>
        </main>
      </div>
    </div>
  );
}

function LoadingPage() {
  return (
    <div className="mx-auto max-w-6xl p-6">
      <Loading />
    </div>
  );
}

function Navigation() {
  const { shell } = useWords();
  return (
    <nav aria-label={shell.navigation} className="flex flex-1 flex-col">
      {JOBS.map((job) => (
        <OfJob key={job} job={job} />
      ))}
    </nav>
  );
}

function OfJob({ job }: { readonly job: Job }) {
  const { shell } = useWords();
  const reached = entries[job].filter(useReach());
  if (reached.length === 0) return null;
  return (
    <>
      {job !== 'first' && (
        <h2 className="mt-3 mb-1 flex items-center gap-2 px-3 text-sm text-quiet">
          <JobIcon job={job} /> {shell.jobs[job]}
        </h2>
      )}
      {reached.map((entry) => (
        <EntryLink key={entry.to} entry={entry} />
      ))}
    </>
  );
}

function EntryLink({ entry: { to, name } }: { readonly entry: Entry }) {
  const { shell } = useWords();
  const [at] = useLocation();
  const isHere = entryAt(at)?.to === to;
  return (
    <Link
      to={to}
      aria-current={isHere ? 'page' : undefined}
      className={`mb-0.5 flex min-h-11 items-center justify-between gap-2 rounded-lg px-3 font-medium no-underline hover:bg-sunk lg:min-h-8 ${isHere ? 'bg-accent-soft text-accent' : ''}`}
    >
      {shell[name]}
      {(name === 'approvals' || name === 'review') && <Waiting of={name} />}
    </Link>
  );
}

/** On a phone: the browser's popover, which closes on a click outside and on Escape. */
function SmallMenu() {
  const { shell } = useWords();
  const [at] = useLocation();
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
  }, [at]);
  return (
    <div className="lg:hidden">
      <button type="button" className="button px-3" popoverTarget="menu" aria-label={shell.menu}>
        <svg viewBox="0 0 16 16" className="size-5" aria-hidden="true" stroke="currentColor" strokeWidth="2">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
      </button>
      <div
        id="menu"
        ref={menu}
        popover="auto"
        className="top-14 left-2 max-h-[calc(100dvh-4rem)] w-72 overflow-y-auto rounded-xl border border-line bg-sheet p-4 text-ink shadow-xl"
      >
        <Navigation />
        <Person />
      </div>
    </div>
  );
}

function Person() {
  const { shell } = useWords();
  const { me, session, signOut } = useSession();
  const [isUnclear, setUnclear] = useState(false);
  const leave = (): void => {
    setUnclear(false);
    signOut().catch(() => setUnclear(true));
  };
  return (
    <div className="mt-3 space-y-2 border-t border-line pt-3">
      <p className="text-sm text-quiet">
        {shell.signedInAs(me)}
        {session.accounts ? (
          <span className="block">
            {shell.accounts}: {session.accounts.join(', ')}
          </span>
        ) : null}
      </p>
      <div className="flex gap-2">
        <LanguageChoice />
        <ColourChoice />
      </div>
      <button type="button" className="button w-full" onClick={leave}>
        {shell.signOut}
      </button>
      {isUnclear && (
        <p role="alert" className="text-sm text-bad">
          {shell.notSignedOut}
        </p>
      )}
    </div>
  );
}
