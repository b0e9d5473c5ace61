/** PostgreSQL, which stores the ledger: reachable, safe, migrated, the right deployment, and not slowed down. */
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
import { type SessionState, remedyFor } from '../../ledger/session.ts';
import { type Clock, describeMs } from '../../lib/clock.ts';
import { message } from '../../messages/message.ts';
import { deploymentOf, differingIn } from '../deployment.ts';
import { databaseOf } from '../stores.ts';
import { type Finding, fault, ok } from './finding.ts';

const OLDEST = 14;
/** Due times use the clock of PostgreSQL; callers' notBefore and expiresAt use theirs. */
const CLOCKS_APART_MAX_MS = 2_000;
const DAY_MS = 86_400_000;
const PARTITIONS_LEFT_MS = 30 * DAY_MS;
/** A longer open transaction retains dead rows, which slow down each claim. */
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
      examineClock(clock.now() - tookMs / 2 - state.at),
      ...logging(state),
      ...(await schema(config)),
    ];
    const isFit = !findings.some(({ check, is }) => is === 'fault' && NEEDED.includes(check));
    return { findings, isFit };
  } catch (error) {
    const why = whyUnusable(error);
    if (why === undefined) throw error;
    const says = message('postgres_unusable', { why });
    return { findings: [fault('postgres', says, message('start_postgres'))], isFit: false };
  }
}

/** After a fault of one of these, no other statement can run. */
const NEEDED: readonly string[] = ['postgres', 'durability', 'schema'];

function serverFindings(state: ServerState, tookMs: number): readonly Finding[] {
  const major = Math.floor(state.version / 10_000);
  if (major < OLDEST) {
    const says = message('postgres_version', { version: major });
    return [fault('postgres', says, message('use_version', { oldest: OLDEST }))];
  }
  if (state.standby) {
    const says = message('postgres_standby');
    return [fault('postgres', says, message('name_primary'))];
  }
  if (state.read_only) {
    const says = message('postgres_reads_only');
    return [fault('postgres', says, message('set_writable'))];
  }
  if (state.session.isShared && state.session.wrong.length > 0) return sessionFaults(state.session);
  const { connections, connections_most: most } = state;
  if (connections > most * CONNECTIONS_MOST) {
    const says = message('connections_used', { connections, most });
    return [fault('postgres', says, message('raise_connections'))];
  }
  const values = { version: major, ms: tookMs.toFixed(1), connections, most };
  return [ok('postgres', message('postgres_answers', values))];
}

/** Behind a pooler, the role must have the settings. */
function sessionFaults(session: SessionState): readonly Finding[] {
  return session.wrong.map((one) =>
    fault(
      'postgres',
      message('pooled_setting', { name: one.name, found: one.found, wanted: one.wanted }),
      message('run_and_reconnect', { command: remedyFor(session, one) }),
    ),
  );
}

function durability(state: ServerState): readonly Finding[] {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => state[name] !== 'on') as string[];
  if (state.synchronous_commit === 'off') off.push('synchronous_commit');
  const findings = off.map((name) =>
    fault('durability', message('setting_off', { name }), message('set_on', { name })),
  );
  if (state.encoding !== 'UTF8') {
    const { database, encoding } = state;
    const says = message('encoding_of_database', { database, encoding });
    findings.push(fault('durability', says, message('create_as_utf8')));
  }
  return findings.length > 0 ? findings : [ok('durability', message('commits_are_durable'))];
}

function examineClock(aheadMs: number): Finding {
  const apart = describeMs(Math.abs(aheadMs));
  if (Math.abs(aheadMs) <= CLOCKS_APART_MAX_MS) return ok('clock', message('clocks_apart', { apart }));
  const off = aheadMs > 0 ? message('clock_ahead', { apart }) : message('clock_behind', { apart });
  return fault('clock', off, message('set_clocks'));
}

/** Parameters of statements, and rows quoted in errors, contain phone numbers and names. */
function logging(state: ServerState): readonly Finding[] {
  const wrong = [
    ...(state.logs_statements && shows(state.parameters) ? [['log_parameter_max_length', '0']] : []),
    ...(shows(state.parameters_on_error) ? [['log_parameter_max_length_on_error', '0']] : []),
    ...(state.error_verbosity === 'terse' ? [] : [['log_error_verbosity', 'terse']]),
  ];
  if (wrong.length === 0) return [ok('logging', message('log_without_parameters'))];
  return wrong.map(([name = '', value = '']) =>
    fault(
      'logging',
      message('log_with_parameters', { name, value }),
      message('log_no_parameters', { role: state.role, name, value }),
    ),
  );
}

const shows = (most: string | null): boolean => most !== null && most !== '0';

async function schema(config: Config): Promise<readonly Finding[]> {
  const name = config.DATABASE_SCHEMA;
  try {
    const missing = await missingMigrations(databaseOf(config));
    if (missing.length === 0) return [ok('schema', message('schema_up_to_date', { name }))];
    const says = message('schema_lacks', { name, missing: missing.join(', ') });
    return [fault('schema', says, message('run_migrate'))];
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error;
    return [fault('schema', error.says, error.fix)];
  }
}

export async function examinePermissions(
  diagnostics: Pick<Diagnostics, 'missingRights'>,
  config: Config,
): Promise<readonly Finding[]> {
  const missing = await diagnostics.missingRights();
  if (missing.length === 0) return [ok('permissions', message('tables_permitted'))];
  const says = message('tables_forbidden', { tables: missing.join(', ') });
  return [fault('permissions', says, message('grant_role', { role: `${config.DATABASE_SCHEMA}_app` }))];
}

/** Whether the ledger belongs to this deployment. */
export async function examineDeployment(
  database: Pick<Database, 'run' | 'transaction'>,
  config: Config,
  book: AccountBook,
): Promise<readonly Finding[]> {
  const { DATABASE_SCHEMA: name } = config;
  const compared = await compareStamp(database, deploymentOf(config, book));
  if (compared === undefined) return [ok('deployment', message('schema_unused', { name }))];
  const { stamp, differences } = compared;
  const faults = differingIn(differences, config).map(({ says, fix }) => fault('deployment', says, fix));
  if (faults.length > 0) return faults;
  const accounts = Object.entries(stamp.accounts).map(([account, mode]) => `${account} (${mode})`);
  const values = { name, environment: stamp.environment, accounts: accounts.join(', ') || '–' };
  return [ok('deployment', message('schema_belongs', values))];
}

export async function examineRecovery(
  diagnostics: Pick<Diagnostics, 'standing'>,
  { WITNESS: witness }: Pick<Config, 'WITNESS'>,
): Promise<readonly Finding[]> {
  const standing = await diagnostics.standing();
  if (standing?.recovering) {
    const { since, because } = standing.recovering;
    const values = { since: new Date(since).toISOString(), because };
    const says = message('recovery_open', values);
    return [fault('recovery', says, message('end_recovery'))];
  }
  if (standing?.unwitnessedSince !== undefined && witness === 'required') {
    const values = { since: new Date(standing.unwitnessedSince).toISOString() };
    const says = message('no_witness', values);
    const fix = message('recover_or_no_witness');
    return [fault('recovery', says, fix)];
  }
  return [ok('recovery', message('not_restored'))];
}

/** Conditions that slow down every claim or will block deletion. */
export async function examineStorage(
  diagnostics: Pick<Diagnostics, 'oldestSnapshot' | 'partitions'>,
  now: number,
): Promise<readonly Finding[]> {
  const [snapshot, { defaults, until }] = await Promise.all([diagnostics.oldestSnapshot(), diagnostics.partitions()]);
  const faults: Finding[] = [];
  if (snapshot && snapshot.ageMs > SNAPSHOT_OLD_MS) {
    const values = { holder: snapshot.holder, age: describeMs(snapshot.ageMs) };
    const says = message('old_transaction', values);
    faults.push(fault('storage', says, message('end_transaction')));
  }
  if (until !== undefined && until.getTime() - now < PARTITIONS_LEFT_MS) {
    const says = message('no_partition_ahead');
    faults.push(fault('storage', says, message('start_for_partitions')));
  }
  if (defaults.length > 0) {
    const says = message('default_partition', {
      tables: defaults.join(', '),
    });
    faults.push(fault('storage', says, message('see_partitions')));
  }
  return faults.length > 0 ? faults : [ok('storage', message('storage_fine'))];
}

export async function examineEvents(
  diagnostics: Pick<Diagnostics, 'publishing'>,
  now: number,
): Promise<readonly Finding[]> {
  const { oldestAt, quarantined } = await diagnostics.publishing();
  const faults: Finding[] = [];
  const lateMs = oldestAt === undefined ? 0 : now - oldestAt;
  if (lateMs > EVENTS_LATE_MS) {
    const says = message('events_wait', { age: describeMs(lateMs) });
    faults.push(fault('events', says, message('start_for_events')));
  }
  if (quarantined > 0) {
    const says = message('events_quarantined', { count: quarantined });
    faults.push(fault('events', says, message('see_quarantined')));
  }
  return faults.length > 0 ? faults : [ok('events', message('events_flow'))];
}
