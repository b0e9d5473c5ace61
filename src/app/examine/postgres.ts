/** PostgreSQL, which holds the ledger: reachable, safe, migrated, ours, and not slowed down. */
import type { AccountBook } from '../../accounts.ts';
import type { Config } from '../../config.ts';
import { compareStamp } from '../../ledger/deployment.ts';
import {
  type Diagnostics,
  type ServerState,
  missingMigrations,
  readServer,
  whyUnusable,
} from '../../ledger/diagnostics.ts';
import { MigrationRefused } from '../../ledger/migrate.ts';
import type { Database } from '../../ledger/pool.ts';
import { type Clock, describeMs } from '../../lib/clock.ts';
import { said } from '../../messages/said.ts';
import { deploymentOf, problemsOf } from '../deployment.ts';
import { databaseOf } from '../stores.ts';
import { type Finding, fault, ok } from './finding.ts';

const OLDEST = 14;
/** Due times are by the clock of PostgreSQL; notBefore and expiresAt of callers are by theirs. */
const CLOCKS_APART_MAX_MS = 2_000;
const DAY_MS = 86_400_000;
const PARTITIONS_LEFT_MS = 30 * DAY_MS;
/** A transaction that is open for longer keeps dead rows, and each claim walks over them. */
const SNAPSHOT_OLD_MS = 600_000;
const EVENTS_LATE_MS = 60_000;
/** Share of `max_connections`. */
const CONNECTIONS_MOST = 0.9;

export interface Reached {
  readonly findings: readonly Finding[];
  /** PostgreSQL can be used as a ledger. */
  readonly isFit: boolean;
}

export async function examinePostgres(config: Config, clock: Clock): Promise<Reached> {
  const askedMono = clock.monotonic();
  try {
    const state = await readServer(databaseOf(config));
    const tookMs = clock.monotonic() - askedMono;
    const findings = [
      ...serverFindings(state, tookMs),
      ...durability(state),
      examineClock(clock.now() - tookMs / 2 - state.at.getTime()),
      ...logging(state),
      ...(await schema(config)),
    ];
    const isFit = !findings.some(({ check, is }) => is === 'fault' && NEEDED.includes(check));
    return { findings, isFit };
  } catch (error) {
    const why = whyUnusable(error);
    if (why === undefined) throw error;
    const says = said('PostgreSQL cannot be used: {why}', { why });
    return { findings: [fault('postgres', says, 'Start PostgreSQL, or correct DATABASE_URL.')], isFit: false };
  }
}

/** With a fault of one of these, no other statement can run. */
const NEEDED: readonly string[] = ['postgres', 'durability', 'schema'];

function serverFindings(state: ServerState, tookMs: number): readonly Finding[] {
  const major = Math.floor(state.version / 10_000);
  if (major < OLDEST) {
    const says = said('PostgreSQL has version {version}', { version: major });
    return [fault('postgres', says, said('Use version {oldest} or newer.', { oldest: OLDEST }))];
  }
  if (state.standby) {
    const says = 'this PostgreSQL is a standby, which only follows its primary';
    return [fault('postgres', says, 'Name the primary in DATABASE_URL.')];
  }
  if (state.read_only) {
    const says = 'this PostgreSQL accepts reads only (default_transaction_read_only = on)';
    return [fault('postgres', says, 'Set default_transaction_read_only = off for the role of relais.')];
  }
  const { connections, connections_most: most } = state;
  if (connections > most * CONNECTIONS_MOST) {
    const says = said('{connections} of {most} connections are in use', { connections, most });
    return [fault('postgres', says, 'Raise max_connections, or lower DATABASE_POOL.')];
  }
  const values = { version: major, ms: tookMs.toFixed(1), connections, most };
  return [
    ok('postgres', said('version {version}, answers in {ms} ms, {connections} of {most} connections in use', values)),
  ];
}

function durability(state: ServerState): readonly Finding[] {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => state[name] !== 'on') as string[];
  if (state.synchronous_commit === 'off') off.push('synchronous_commit');
  const findings = off.map((name) =>
    fault(
      'durability',
      said('{name} is off: PostgreSQL can lose what it has committed, so nothing leaves', { name }),
      said('Set {name} = on.', { name }),
    ),
  );
  if (state.encoding !== 'UTF8') {
    const { database, encoding } = state;
    const says = said('the encoding of the database {database} is {encoding}', { database, encoding });
    findings.push(fault('durability', says, 'Create the database with encoding UTF8.'));
  }
  return findings.length > 0 ? findings : [ok('durability', 'a committed transaction survives a power loss')];
}

function examineClock(aheadMs: number): Finding {
  const apart = describeMs(Math.abs(aheadMs));
  if (Math.abs(aheadMs) <= CLOCKS_APART_MAX_MS)
    return ok('clock', said('the clocks of this machine and PostgreSQL are {apart} apart', { apart }));
  const off =
    aheadMs > 0
      ? said('the clock of this machine is {apart} ahead of PostgreSQL', { apart })
      : said('the clock of this machine is {apart} behind PostgreSQL', { apart });
  return fault('clock', off, 'Let NTP set both clocks.');
}

/** Parameters of statements, and rows that errors quote, contain phone numbers and names. */
function logging(state: ServerState): readonly Finding[] {
  const wrong = [
    ...(state.logs_statements && shows(state.parameters) ? [['log_parameter_max_length', '0']] : []),
    ...(shows(state.parameters_on_error) ? [['log_parameter_max_length_on_error', '0']] : []),
    ...(state.error_verbosity === 'terse' ? [] : [['log_error_verbosity', 'terse']]),
  ];
  if (wrong.length === 0) return [ok('logging', 'the log of PostgreSQL contains no parameters and no rows')];
  return wrong.map(([name = '', value = '']) =>
    fault(
      'logging',
      said('the log of PostgreSQL can contain phone numbers: {name} is not {value}', { name, value }),
      said('alter role {role} set {name} = {value}, by a superuser.', { role: state.role, name, value }),
    ),
  );
}

const shows = (most: string | null): boolean => most !== null && most !== '0';

async function schema(config: Config): Promise<readonly Finding[]> {
  const name = config.DATABASE_SCHEMA;
  try {
    const missing = await missingMigrations(databaseOf(config));
    if (missing.length === 0) return [ok('schema', said('the schema {name} is up to date', { name }))];
    const says = said('the schema {name} lacks {missing}', { name, missing: missing.join(', ') });
    return [fault('schema', says, 'Run relais migrate, or start a process with MIGRATE=on.')];
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error;
    const [says = '', fix = ''] = error.message.split(/\. (.*)/s);
    return [fault('schema', says, fix)];
  }
}

export async function examinePermissions(
  diagnostics: Pick<Diagnostics, 'missingRights'>,
  config: Config,
): Promise<readonly Finding[]> {
  const missing = await diagnostics.missingRights();
  if (missing.length === 0) return [ok('permissions', 'the role of DATABASE_URL can read and write every table')];
  const says = said('the role of DATABASE_URL cannot read and write {tables}', { tables: missing.join(', ') });
  return [
    fault('permissions', says, said('Grant the role {role} to it.', { role: `${config.DATABASE_SCHEMA}_app` })),
  ];
}

/** Which deployment the ledger belongs to. */
export async function examineDeployment(
  database: Pick<Database, 'run' | 'transaction'>,
  config: Config,
  book: AccountBook,
): Promise<readonly Finding[]> {
  const { DATABASE_SCHEMA: name } = config;
  const compared = await compareStamp(database, deploymentOf(config, book));
  if (compared === undefined)
    return [ok('deployment', said('no process has started on the schema {name} yet', { name }))];
  const { stamp, differences } = compared;
  const faults = problemsOf(differences, config).map((problem) => {
    const [says = '', fix = ''] = problem.split(/\. (.*)/s);
    return fault('deployment', says, fix);
  });
  if (faults.length > 0) return faults;
  const accounts = Object.entries(stamp.accounts).map(([account, mode]) => `${account} (${mode})`);
  const values = { name, environment: stamp.environment, accounts: accounts.join(', ') || '–' };
  return [ok('deployment', said('the schema {name} belongs to {environment}: {accounts}', values))];
}

export async function examineRecovery(
  diagnostics: Pick<Diagnostics, 'standing'>,
  { WITNESS: witness }: Pick<Config, 'WITNESS'>,
): Promise<readonly Finding[]> {
  const standing = await diagnostics.standing();
  if (standing?.recovering) {
    const { since, because } = standing.recovering;
    const values = { since: new Date(since).toISOString(), because };
    const says = said(
      'since {since} nothing is accepted and nothing leaves: PostgreSQL may be restored to an earlier point ({because})',
      values,
    );
    return [fault('recovery', says, 'Review the open operations, and end the recovery: relais recover.')];
  }
  if (standing?.unwitnessedSince !== undefined && witness === 'required') {
    const values = { since: new Date(standing.unwitnessedSince).toISOString() };
    const says = said('since {since} no witness has confirmed this ledger: risky operations wait', values);
    const fix = 'Run relais recover, or set WITNESS=none if PostgreSQL was not restored to an earlier point.';
    return [fault('recovery', says, fix)];
  }
  return [ok('recovery', 'no sign that PostgreSQL was restored to an earlier point')];
}

/** What slows every claim down, or will stop deletion. */
export async function examineStorage(
  diagnostics: Pick<Diagnostics, 'oldestSnapshot' | 'partitions'>,
  now: number,
): Promise<readonly Finding[]> {
  const [snapshot, { defaults, until }] = await Promise.all([diagnostics.oldestSnapshot(), diagnostics.partitions()]);
  const faults: Finding[] = [];
  if (snapshot && snapshot.ageMs > SNAPSHOT_OLD_MS) {
    const values = { holder: snapshot.holder, age: describeMs(snapshot.ageMs) };
    const says = said(
      'a transaction of {holder} has been open for {age}: dead rows stay, and work slows down',
      values,
    );
    faults.push(fault('storage', says, 'End that transaction.'));
  }
  if (until !== undefined && until.getTime() - now < PARTITIONS_LEFT_MS) {
    const says = 'there is no partition for the events of the next 30 days';
    faults.push(fault('storage', says, 'Start a process of relais: each one makes partitions three months ahead.'));
  }
  if (defaults.length > 0) {
    const says = said('rows are in the default partition ({tables}), so retention is slower', {
      tables: defaults.join(', '),
    });
    faults.push(fault('storage', says, 'See docs/runbook.md#relaispartitionsmissing.'));
  }
  return faults.length > 0 ? faults : [ok('storage', 'no old transaction is open, and partitions exist ahead')];
}

export async function examineEvents(
  diagnostics: Pick<Diagnostics, 'publishing'>,
  now: number,
): Promise<readonly Finding[]> {
  const { oldestAt, quarantined } = await diagnostics.publishing();
  const faults: Finding[] = [];
  const lateMs = oldestAt === undefined ? 0 : now - oldestAt;
  if (lateMs > EVENTS_LATE_MS) {
    const says = said('the oldest event has waited {age} for its position', { age: describeMs(lateMs) });
    faults.push(fault('events', says, 'Start a process with the role worker or api: one of them publishes events.'));
  }
  if (quarantined > 0) {
    const says = said('{count} events could not be published and are quarantined', { count: quarantined });
    faults.push(fault('events', says, 'See docs/runbook.md#relaiseventsquarantined.'));
  }
  return faults.length > 0 ? faults : [ok('events', 'events are published without delay')];
}
