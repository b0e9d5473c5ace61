/**
 * Session settings that statements rely on. relais sets them in its own sessions. Behind a pooler, clients share
 * sessions: a value set there would reach other clients, so the role must have it.
 */
import type { Session } from './server.ts';

/** Values as `pg_settings` shows them; times in ms. `lock_timeout` is short, so that one locked row does not block a lane for long. */
const WANTED: Readonly<Record<string, string>> = {
  lock_timeout: '1000',
  statement_timeout: '10000',
  idle_in_transaction_session_timeout: '60000',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
};

export interface WrongSetting {
  readonly name: string;
  readonly found: string;
  readonly wanted: string;
}

export interface SessionState {
  readonly isShared: boolean;
  /** In an own session compared as it is now; in a shared session as sessions of this role begin. */
  readonly wrong: readonly WrongSetting[];
  /** Quoted, as are all names here. */
  readonly role: string;
  readonly database: string;
}

interface Row extends WrongSetting {
  readonly shared: boolean;
  readonly role: string;
  readonly database: string;
}

/** A pooler gives its clients a process id that is not that of the server process. */
const SETTINGS = `from unnest($1::text[], $2::text[]) as w(name, wanted) join pg_settings s on s.name = w.name
  cross join (select pg_backend_pid() is distinct from $3::int as shared) o`;

export async function readSession(client: Session): Promise<SessionState> {
  const { rows } = await client.query(
    `select s.name, w.wanted, o.shared, case when o.shared then s.reset_val else s.setting end as found,
       quote_ident(session_user) as role, quote_ident(current_database()) as database ${SETTINGS}`,
    valuesOf(client),
  );
  const all = rows as readonly Row[];
  const { shared = true, role = '', database = '' } = all[0] ?? {};
  // `DateStyle` also holds the order of input, which no statement relies on.
  const wrong = all.filter(({ found, wanted }) => found.split(',')[0] !== wanted);
  return { isShared: shared, role, database, wrong };
}

/** Sets the settings of an own session. Resets a shared session that another client has changed. */
export async function settleSession(client: Session): Promise<SessionState> {
  // A pooler may use another session after each transaction.
  await client.query('begin');
  await client.query(
    `select set_config(s.name, case when o.shared then s.reset_val else w.wanted end, false) ${SETTINGS}
     where not o.shared or s.setting <> s.reset_val`,
    valuesOf(client),
  );
  const state = await readSession(client);
  await client.query('commit');
  return state;
}

const valuesOf = ({ processID = null }: Session): unknown[] => [
  Object.keys(WANTED),
  Object.values(WANTED),
  processID,
];

/** The statement that an administrator runs. */
export const remedyFor = ({ role, database }: SessionState, { name, wanted }: WrongSetting): string =>
  `alter role ${role} in database ${database} set ${name} = '${wanted}'`;
