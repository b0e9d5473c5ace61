/**
 * The parts that maintain the ledger: migration and comparison at the start, watching, publishing and verification.
 */
import { keepPartitions } from '../ledger/keep-partitions.ts';
import { type Config, WrongSettings, settingProblem } from '../config.ts';
import { type Message, message } from '../messages/message.ts';
import { whyUnusable } from '../ledger/diagnostics.ts';
import { MigrationRefused } from '../ledger/migrate.ts';
import {
  AnotherDeployment,
  SchemaOutdated,
  type StartOptions,
  type StartedLedger,
  startLedger,
} from '../ledger/start.ts';
import { Partitions } from '../ledger/partitions.ts';
import { Publisher, publishUntil } from '../ledger/publisher.ts';
import { Upkeep } from '../ledger/upkeep.ts';
import { verifyAudit } from '../ledger/audit-verified.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import type { Container } from './container.ts';
import { deploymentOf, problemsOf } from './deployment.ts';
import type { Part } from './parts.ts';
import { markSecrets } from './secrets.ts';
import { databaseOf } from './stores.ts';
import { accountFingerprint } from '../accounts.ts';

/** In this order; each needs the ones before. */
export function ledgerParts(container: Container, roles: readonly string[]): readonly Part[] {
  const isOf = (...some: readonly string[]): boolean => some.some((role) => roles.includes(role));
  return [
    startPart(container),
    lifePart(container),
    ...(isOf('worker', 'api') ? [limitsPart(container, roles)] : []),
    ...(isOf('worker', 'api') ? [publisherPart(container)] : []),
    ...(isOf('api') ? [auditPart(container)] : []),
    partitionsPart(container),
    ...(isOf('worker', 'api') ? [upkeepPart(container)] : []),
  ];
}

/** Migrates the schema, and refuses the ledger of another deployment. */
function startPart({ config, book, clock, random, logger, patience, database, beating, keyHashes }: Container): Part {
  return {
    name: 'PostgreSQL',
    start: async () => {
      const started = await startExplained(config, {
        database: databaseOf(config),
        migrates: config.MIGRATE === 'on',
        deployment: deploymentOf(config, book),
        patienceMs: config.DATABASE_PATIENCE,
        clock,
        random,
        signal: patience.signal,
        onWait: (why, waitedMs) =>
          logger.warn({ why, waitedS: Math.round(waitedMs / 1_000) }, 'waiting for PostgreSQL'),
      });
      await started.database.close();
      if (started.applied.length > 0) logger.info({ migrations: started.applied }, 'the schema was migrated');
      for (const [account, of] of book) {
        if (of.masterKey) await keyHashes.note({ account, fingerprint: accountFingerprint(of) }, of.masterKey);
      }
      return async () => {
        await Promise.all([database.close(), beating.close()]);
      };
    },
  };
}

/** Errors that only an operator can fix are reported like a wrong setting. */
async function startExplained(config: Config, options: StartOptions): Promise<StartedLedger> {
  try {
    return await startLedger(options);
  } catch (error) {
    if (error instanceof AnotherDeployment) throw new WrongSettings(problemsOf(error.differences, config));
    if (error instanceof MigrationRefused) throw wrongDatabase(error.said);
    if (error instanceof SchemaOutdated) throw wrongDatabase(message('other', { text: error.message }));
    const why = whyUnusable(error);
    if (why === undefined || options.signal?.aborted) throw error;
    throw wrongDatabase(message('postgres_unusable', { why }));
  }
}

const wrongDatabase = (problem: Message): WrongSettings =>
  new WrongSettings([settingProblem('DATABASE_URL', problem)]);

function lifePart({ life, logger, sharedOperations }: Container): Part {
  return {
    name: 'the life of this process',
    start: async () => {
      const deaf = life.onChange((state) => {
        if (state)
          logger.error({ recovery: state }, 'the ledger is recovering: nothing is accepted and nothing leaves');
        else logger.info('the recovery is over');
      });
      await life.start();
      return async () => {
        deaf();
        await sharedOperations.close();
        await life.end();
      };
    },
  };
}

/** Publishes the limits in the settings of this process. */
function limitsPart({ limits, life, logger, quietly, random, clock }: Container, roles: readonly string[]): Part {
  const by = `settings of ${roles.toSorted().join(', ')}`;
  const publish = async (when: 'at start' | 'again') => {
    const requestId = random.hex(8);
    const act = { by, person: '', role: '', source: 'settings', act: 'limit.set', target: '', requestId } as const;
    const { lowered, looser } = await limits.publish(by, requestId, when, act);
    for (const { name, from, to } of lowered) logger.info({ by, name, from, to }, 'a limit is stricter now');
    return looser;
  };
  return {
    name: 'the limits of money',
    start: async () => {
      if ((await publish('at start')).length > 0) {
        logger.error({ reasons: await limits.reasons(clock.now()) }, 'limits here are looser than those that hold');
      }
      // A recovery may have restored earlier limits.
      return async () =>
        life.onChange(() => void publish('again').catch((error: unknown) => quietly('limits', error)))();
    },
  };
}

const PUBLISH_EVERY_MS = 200;

function publisherPart({ database, life, config, clock, quietly }: Container): Part {
  return {
    name: 'the publisher of events',
    start: async () => {
      await database.run('set_timezone', [config.TIMEZONE]);
      const onError = (error: unknown): void => quietly('publishing events', error);
      const publisher = new Publisher({
        database,
        process: life.name,
        timezone: config.TIMEZONE,
        keepDays: Math.ceil(config.REPORTS_KEEP / DAY_MS),
        secrets: markSecrets(config),
        clock,
        onError,
      });
      const stop = new AbortController();
      const published = publishUntil(stop.signal, publisher, { clock, intervalMs: PUBLISH_EVERY_MS, onError });
      return async () => {
        stop.abort();
        await published;
      };
    },
  };
}

const DAY_MS = 86_400_000;
const VERIFY_EVERY_MS = 30_000;

function auditPart({ auditSeals, auditVerification, clock, logger, quietly }: Container): Part {
  return {
    name: 'the verification of the audit log',
    start: async () => {
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('the audit log', error);
      const verified = repeatUntil(stop.signal, { clock, intervalMs: VERIFY_EVERY_MS, onError }, () =>
        verifyAudit({
          seals: auditSeals,
          verification: auditVerification,
          onFault: (fault) => logger.error(fault, 'a line of the audit log is not valid: relais audit verify'),
        }),
      );
      return async () => {
        stop.abort();
        await verified;
      };
    },
  };
}

const KEEP_EVERY_MS = 3_600_000;

/** Creates the partitions of the next months, and removes events and audit lines after their retention. */
function partitionsPart({ database, events, auditSeals, config, clock, random, logger, quietly }: Container): Part {
  return {
    name: 'the partitions ahead',
    start: async () => {
      const partitions = new Partitions({ database });
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('partitions of PostgreSQL', error);
      let told: string | undefined;
      const kept = repeatUntil(stop.signal, { clock, intervalMs: KEEP_EVERY_MS, onError }, async () => {
        const { fault } = await keepPartitions({
          database,
          partitions,
          events,
          seals: auditSeals,
          eventsKeepMs: config.EVENTS_KEEP,
          auditKeepMs: config.AUDIT_KEEP,
          act: { ...FORGETTING, requestId: random.hex(8) },
        });
        if (fault && fault.id !== told)
          logger.error(fault, 'nothing of the audit log is deleted: a line is not valid, see relais audit verify');
        told = fault?.id;
      });
      return async () => {
        stop.abort();
        await kept;
      };
    },
  };
}

const FORGETTING = {
  by: 'settings',
  person: '',
  role: '',
  source: 'settings',
  act: 'audit.forget',
  target: '',
} as const;

const UPKEEP_EVERY_MS = 60_000;
const LOOK_FOR_UPKEEP_EVERY_MS = 15_000;

function upkeepPart({ database, config, clock, quietly, keptFiles, uploads, rejections }: Container): Part {
  return {
    name: 'the upkeep of the ledger',
    start: async () => {
      const upkeep = new Upkeep({
        database,
        partitions: new Partitions({ database }),
        keptFiles,
        uploads,
        rejections,
        paymentsMs: config.RETENTION_PAYMENTS,
        smsMs: config.RETENTION_SMS,
        identitiesMs: config.IDEMPOTENCY_KEEP,
        everyMs: UPKEEP_EVERY_MS,
      });
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('the upkeep of the ledger', error);
      const interval = { clock, intervalMs: LOOK_FOR_UPKEEP_EVERY_MS, onError };
      const kept = repeatUntil(stop.signal, interval, () => upkeep.pass());
      return async () => {
        stop.abort();
        await kept;
      };
    },
  };
}
