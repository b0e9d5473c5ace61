/** `relais doctor`: looks at everything a deployment needs, says what is wrong and how to mend it. Leaves nothing behind. */
import type { Redis } from 'ioredis';
import { type AccountBook, readAccounts } from '../accounts.ts';
import type { ApiContext } from '../api/context.ts';
import { type Role, roles as allRoles } from '../cli/io.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { SharedLimits } from '../operations/limits.ts';
import { Recovery } from '../operations/heartbeat.ts';
import { closeConnection, openForQueues, waitUntilReady } from '../redis/connections.ts';
import type { Upstream } from '../upstream/client.ts';
import { targetOf } from './container.ts';
import { openUpstream } from './processor-context.ts';
import { sharedUpstream } from './stores.ts';
import { examineCallbacks, examineBalance, examineKeys, examineLogin, examineSettings } from './examine/service.ts';
import {
  examineDeployment,
  examineLimits,
  examinePermissions,
  examineRecovery,
  examineRecords,
  examineRedis,
  reachRedis,
} from './examine/redis.ts';
import { consoleFilesHere } from './console.ts';
import { examineConsole } from './examine/console.ts';
import { examineIntake, examineState } from './examine/state.ts';
import { type Finding, checkNames, examined, skipped } from './examine/finding.ts';
import { opinionsOf } from '../settings/policy.ts';
import { doctorWords } from '../words/doctor.ts';
import type { Language } from '../words/languages.ts';
import { said } from '../words/said.ts';

export interface DoctorTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Fires when nobody waits for the rest. */
  readonly signal: AbortSignal;
  /** One JSON object at the end, instead of one line per finding as it is found. */
  readonly json: boolean;
  /** What the process does in whose place it looks: what none of these needs is not missed. */
  readonly roles?: readonly Role[];
  readonly print: (line: string) => void;
  /** Of the lines for people. */
  readonly language?: Language;
}

/** However patient the workers are told to be, somebody waits at a terminal here. */
const TIMEOUT_MAX_MS = 10_000;
const READY_WAIT_MS = 5_000;
/** It asks Redis for much, and the service too: however many people look, it is done so often at most. */
const LOOKED_AGAIN_MS = 30_000;

/** 0 when no fault was found. */
export async function doctor(tools: DoctorTools): Promise<0 | 1> {
  const findings: Finding[] = [];
  for await (const finding of examine(tools)) {
    findings.push(finding);
    if (!tools.json) tools.print(lineOf(finding, tools.language));
    if (tools.signal.aborted) return 1;
  }
  const faults = findings.filter(({ is }) => is === 'fault').length;
  if (tools.json) tools.print(JSON.stringify({ ok: faults === 0, findings: findings.map(asJson) }, null, 2));
  else tools.print(doctorWords(tools.language).faults(faults));
  return faults === 0 ? 0 : 1;
}

const MARKS = { ok: '✓', fault: '✗', skipped: '–' } as const;
const asJson = ({ told: _told, ...finding }: Finding): object => finding;

function lineOf({ check, is, told: { says, fix } }: Finding, language: Language = 'en'): string {
  const words = doctorWords(language);
  const width = Math.max(...checkNames.map((name) => words.check(name).length));
  return `${MARKS[is]} ${words.check(check).padEnd(width)}  ${words.say(says)}${fix ? ` → ${words.say(fix)}` : ''}`;
}

async function* examine(tools: DoctorTools): AsyncGenerator<Finding> {
  const { roles = allRoles } = tools;
  const { findings, config } = examineSettings(tools.env, roles);
  yield* findings;
  if (config === undefined) {
    yield skipped('redis', 'nothing else is looked at before the settings can be read');
    return;
  }
  yield* examineWith(tools, config);
}

type Looking = Pick<DoctorTools, 'clock' | 'random' | 'roles'>;

/** Of a process that runs, and so has settings that can be read. Asked for again within a while, it is the same look. */
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
  const { roles = allRoles } = tools;
  const book = readAccounts(config);
  const reached = await reachRedis(config);
  if ('check' in reached) {
    yield reached;
    yield* examineAccounts({ config, book, roles });
  } else {
    try {
      yield* await examined('redis', () => examineRedis(reached, config, tools.clock));
      yield* await examined('permissions', () => examinePermissions(reached, config, tools.random));
      yield* await examined('recovery', () =>
        examineRecovery(new Recovery({ redis: reached, random: tools.random })),
      );
      yield* await examined('deployment', () => examineDeployment(reached, config, book));
      yield* await examined('limits', () =>
        examineLimits(new SharedLimits(reached), opinionsOf(config), tools.clock.now()),
      );
      yield* await examined('records', () => examineRecords(reached));
      yield* await examined('state', () => examineState(reached, tools.clock.now()));
      yield* await examined('audit', () => examineAudit(reached, tools.clock.now()));
      yield* await examined('history', () => examineHistory(reached, config, { now: tools.clock.now(), roles }));
      yield* await examined('intake', () =>
        besideOurKeys(config, (redis) => examineIntake(redis, config.REDIS_PREFIX)),
      );
      yield* examineWithRedis(tools, { config, redis: reached, book, roles });
    } finally {
      await closeConnection(reached);
    }
  }
  if (roles.includes('api')) yield* await examined('console', () => examineConsole(config, consoleFilesHere()));
  // A process that creates payments tells the service this address; the receiver answers there.
  if (roles.some((role) => role === 'worker' || role === 'webhooks')) {
    yield await examineCallbacks(config, tools.clock);
  } else yield skipped('callbacks', said('not needed for {roles}', { roles: roles.join(', ') }));
}

/** What is beside our keys is seen by a connection that puts no prefix before them. */
async function besideOurKeys<T>(config: Config, look: (unprefixed: Redis) => Promise<T>): Promise<T> {
  const unprefixed = openForQueues(targetOf(config), { name: 'relais-doctor', onError: () => undefined });
  try {
    await waitUntilReady(unprefixed, READY_WAIT_MS);
    return await look(unprefixed);
  } finally {
    await closeConnection(unprefixed);
  }
}

interface Examined {
  readonly config: Config;
  readonly book: AccountBook;
  readonly roles: readonly Role[];
}

async function* examineWithRedis(
  { clock, random }: Looking,
  { config, redis, book, roles }: Examined & { readonly redis: Redis },
): AsyncGenerator<Finding> {
  const upstream = openUpstream({
    config: { ...config, UPSTREAM_TIMEOUT: Math.min(config.UPSTREAM_TIMEOUT, TIMEOUT_MAX_MS) },
    ...sharedUpstream({ config, redis, clock }),
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

/** Without Redis the service is not asked: a login is kept there for all processes. */
async function* examineAccounts({
  config,
  book,
  roles,
  service,
}: Examined & { readonly service?: { upstream: Upstream; clock: Clock } }): AsyncGenerator<Finding> {
  // Only what asks the service has its keys; a receiver of callbacks is better off without them.
  if (!roles.some((role) => role === 'worker' || role === 'api')) {
    yield skipped('keys', said('not needed for {roles}', { roles: roles.join(', ') }));
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
