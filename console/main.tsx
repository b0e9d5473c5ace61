/** The console: language and colours, requests, session; then the pages. */
import './look.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { askEarly, openQueries } from './asking/queries.ts';
import { Signedin, identityOf, useCurrentSession } from './asking/session.tsx';
import { Choosing, useWords } from './parts/language.tsx';
import { Failed, Loading } from './parts/page.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Shell } from './shell/shell.tsx';

function Console() {
  const session = useCurrentSession();
  if (session.data) {
    return (
      <Signedin key={identityOf(session.data)} session={session.data}>
        <Shell />
      </Signedin>
    );
  }
  if (session.data === null) return <SignIn />;
  return (
    <main className="mx-auto max-w-xl p-6">
      <Unread />
      {session.error === null ? <Loading /> : <Failed error={session.error} again={() => void session.refetch()} />}
    </main>
  );
}

function Unread() {
  const { shell } = useWords();
  useEffect(() => {
    document.title = shell.page('…');
  }, [shell]);
  return <h1 className="mb-4 text-2xl font-semibold">relais</h1>;
}

const place = document.getElementById('console');
if (place === null) throw new Error('The page has no place for the console.');
const queries = openQueries();
// The most frequent first page: its code and its data are requested together with the session.
if (/^\/console\/?$/.test(location.pathname)) {
  void import('./pages/today.tsx');
  askEarly(queries, 'getStatus', {});
}
createRoot(place).render(
  <StrictMode>
    <Choosing>
      <QueryClientProvider client={queries}>
        <Router base="/console">
          <Console />
        </Router>
      </QueryClientProvider>
    </Choosing>
  </StrictMode>,
);
