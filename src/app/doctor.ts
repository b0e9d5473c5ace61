/**
 * `relais doctor`: checks everything that a deployment needs, and reports each problem with its fix. Leaves nothing
 * behind.
 */
import { type AccountBook, readAccounts } from '../accounts.ts';
import type { ApiContext } from '../api/context.ts';
import { type Role, roles as allRoles } from '../cli/io.ts';
import type { Config } from '../config.ts';
import { AuditSeals } from '../ledger/audit-seals.ts';
import { AuditVerification } from '../ledger/audit-verified.ts';
import { Diagnostics } from '../ledger/diagnostics.ts';
import { Holds } from '../ledger/holds.ts';
import { MoneyLimits } from '../ledger/limits.ts';
import { Database } from '../ledger/pool.ts';
import { Queries } from '../ledger/queries.ts';
import { LedgerRates } from '../ledger/rates.ts';
import { ledgerTokenStores } from '../ledger/sms-token.ts';
import { Status } from '../ledger/status.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { opinionsOf } from '../settings/policy.ts';
import type { Upstream } from '../provider/client.ts';
import { textOf } from '../messages/texts.ts';
import { type Language, wordsIn } from '../messages/languages.ts';
import { message } from '../messages/message.ts';
import { consoleFilesHere } from './console.ts';
import { examineAudit } from './examine/audit.ts';
import { examineConsole } from './examine/console.ts';
import { type Finding, checkNames, examined, ok, skipped } from './examine/finding.ts';
import { examineLimits } from './examine/limits.ts';
import {
  examineDeployment,
  examineEvents,
  examinePermissions,
  examinePostgres,
  examineRecovery,
  examineStorage,
} from './examine/postgres.ts';
import { examineRedis } from './examine/redis.ts';
import { examineBalance, examineCallbacks, examineKeys, examineLogin, examineSettings } from './examine/service.ts';
import { examineState } from './examine/state.ts';
import { openUpstream } from './processor-context.ts';
import { databaseOf } from './stores.ts';

export interface DoctorTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Fires when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** One JSON object at the end, instead of one line per finding. */
  readonly json: boolean;
  /** The roles of the process for which it checks: settings that none of them needs may be missing. */
  readonly roles?: readonly Role[];
  readonly print: (line: string) => void;
  /** The language of the lines for users. */
  readonly language?: Language;
}

/** Shorter than the workers' time-outs, because a user waits at a terminal. */
const TIMEOUT_MAX_MS = 10_000;
/** An examination loads PostgreSQL and the provider: requests within this time share one. */
const LOOKED_AGAIN_MS = 30_000;

/** 0: no fault was found. */
export async function doctor(tools: DoctorTools): Promise<0 | 1> {
  const findings: Finding[] = [];
  for await (const finding of examine(tools)) {
    findings.push(finding);
    if (!tools.json) tools.print(lineOf(finding, tools.language));
    if (tools.signal.aborted) return 1;
  }
  const faults = findings.filter(({ is }) => is === 'fault').length;
  if (tools.json) tools.print(JSON.stringify({ ok: faults === 0, findings: findings.map(asJson) }, null, 2));
  else tools.print(wordsIn(tools.language ?? 'en').doctor.faults(faults));
  return faults === 0 ? 0 : 1;
}

const MARKS = { ok: '✓', fault: '✗', skipped: '–' } as const;
const asJson = ({ check, is, says, fix }: Finding): object => ({
  check,
  is,
  says: textOf(says),
  ...(fix && { fix: textOf(fix) }),
});

function lineOf({ check, is, says, fix }: Finding, language: Language = 'en'): string {
  const { checks } = wordsIn(language).doctor;
  const width = Math.max(...checkNames.map((name) => checks[name].length));
  const toDo = fix ? ` → ${textOf(fix, language)}` : '';
  return `${MARKS[is]} ${checks[check].padEnd(width)}  ${textOf(says, language)}${toDo}`;
}

async function* examine(tools: DoctorTools): AsyncGenerator<Finding> {
  const { roles = allRoles } = tools;
  const { findings, config } = examineSettings(tools.env, roles);
  yield* findings;
  if (config === undefined) {
    yield skipped('postgres', message('settings_unreadable'));
    return;
  }
  yield* examineWith(tools, config);
}

type Looking = Pick<DoctorTools, 'clock' | 'random' | 'roles'>;

/** For a running process, whose settings are readable. Repeated requests share one examination. */
export function doctorOf(config: Config, tools: Looking): ApiContext['doctor'] {
  const { clock } = tools;
  let last: { readonly untilMono: number; readonly look: ReturnType<ApiContext['doctor']> } | undefined;
  const look = async () => {
    const findings: Finding[] = [];
    for await (const finding of examineWith(tools, config)) findings.push(finding);
    return { at: clock.now(), findings };
  };
  return () => {
    if (last === undefined || clock.monotonic() >= last.untilMono) {
      last = { untilMono: clock.monotonic() + LOOKED_AGAIN_MS, look: look() };
    }
    return last.look;
  };
}

async function* examineWith(tools: Looking, config: Config): AsyncGenerator<Finding> {
  const { roles = allRoles, clock } = tools;
  const book = readAccounts(config);
  if (config.TRIAL_NUMBERS) {
    const count = config.TRIAL_NUMBERS.items.length;
    yield ok('settings', message('trial_numbers_only', { count }));
  }
  const { findings, isFit } = await reachPostgres(config, clock);
  yield* findings;
  if (isFit) yield* examineLedger(tools, { config, book, roles });
  yield* await examined('redis', () => examineRedis(config, clock));
  if (!isFit) yield* examineAccounts({ config, book, roles });
  if (roles.includes('api')) yield* await examined('console', () => examineConsole(config, consoleFilesHere()));
  // A process that creates payments passes this address to the provider; the receiver answers there.
  if (roles.some((role) => role === 'worker' || role === 'webhooks')) {
    yield await examineCallbacks(config, clock);
  } else yield skipped('callbacks', message('not_needed_for', { roles: roles.join(', ') }));
}

async function reachPostgres(config: Config, clock: Clock): ReturnType<typeof examinePostgres> {
  if (config.DATABASE_URL === undefined)
    return { findings: [skipped('postgres', message('no_database_url'))], isFit: false };
  let isFit = false;
  const findings = await examined('postgres', async () => {
    const reached = await examinePostgres(config, clock);
    isFit = reached.isFit;
    return reached.findings;
  });
  return { findings, isFit };
}

interface Examined {
  readonly config: Config;
  readonly book: AccountBook;
  readonly roles: readonly Role[];
}

const CONNECTIONS = 2;

/** All checks that need the ledger's tables. */
async function* examineLedger(tools: Looking, asked: Examined): AsyncGenerator<Finding> {
  const { config, book } = asked;
  const { clock } = tools;
  // Each check reports its own errors.
  const database = new Database({ ...databaseOf(config), size: CONNECTIONS, onError: () => undefined });
  const diagnostics = new Diagnostics({ database, schema: config.DATABASE_SCHEMA });
  const own = opinionsOf(config);
  const accounts = new Holds({ database, clock });
  const status = new Status({ database, queries: new Queries({ database }) });
  try {
    yield* await examined('permissions', () => examinePermissions(diagnostics, config));
    yield* await examined('recovery', () => examineRecovery(diagnostics, config));
    yield* await examined('deployment', () => examineDeployment(database, config, book));
    yield* await examined('limits', () => examineLimits(new MoneyLimits({ database, own }), own, clock.now()));
    yield* await examined('state', () => examineState(status, accounts, clock.now()));
    yield* await examined('storage', () => examineStorage(diagnostics, clock.now()));
    yield* await examined('events', () => examineEvents(diagnostics, clock.now()));
    yield* await examined('audit', () =>
      examineAudit(new AuditVerification({ database }), new AuditSeals({ database, secrets: [] })),
    );
    yield* examineProvider(tools, { ...asked, database });
  } finally {
    await database.close();
  }
}

async function* examineProvider(
  { clock, random }: Looking,
  { config, book, roles, database }: Examined & { readonly database: Database },
): AsyncGenerator<Finding> {
  const upstream = openUpstream({
    config: { ...config, UPSTREAM_TIMEOUT: Math.min(config.UPSTREAM_TIMEOUT, TIMEOUT_MAX_MS) },
    rates: new LedgerRates({ database, clock, ratePerSecond: config.UPSTREAM_RATE }),
    tokenStores: ledgerTokenStores({ database, contestedMs: config.HOLD_RECHECK }),
    clock,
    random,
    metrics: { exchanged: () => undefined },
  });
  try {
    yield* examineAccounts({ config, book, roles, service: { upstream, clock } });
  } finally {
    await upstream.close();
  }
}

/** Without PostgreSQL the provider is not asked: rates and the SMS login are stored there. */
async function* examineAccounts({
  config,
  book,
  roles,
  service,
}: Examined & { readonly service?: { upstream: Upstream; clock: Clock } }): AsyncGenerator<Finding> {
  // Only processes that call the provider have its keys; a callback receiver is safer without them.
  if (!roles.some((role) => role === 'worker' || role === 'api')) {
    yield skipped('keys', message('not_needed_for', { roles: roles.join(', ') }));
    return;
  }
  for (const account of book.values()) {
    yield* examineKeys(account, { alone: book.size === 1 });
    if (service === undefined) continue;
    if (config.SERVICE_CRM_URL !== undefined) {
      yield* await examined('sms login', async () => [await examineLogin(account, service)]);
    }
    if (config.SERVICE_BASE_URL !== undefined) {
      yield* await examined('balance', async () => [await examineBalance(account, service)]);
    }
  }
}
