/** The start of a process on the ledger: waits for PostgreSQL, migrates, and verifies deployment and origin. */
import type { Client } from 'pg';
import { type Clock, retryUntilDeadline } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { withClient } from './client.ts';
import { type Deployment, type DeploymentRow, type Difference, modeOf, stampAs } from './deployment.ts';
import { DatabaseAway, UnsafeDatabase } from './errors.ts';
import { makePartitions } from './keep-partitions.ts';
import { MigrationRefused, migrate } from './migrate.ts';
import { Partitions } from './partitions.ts';
import { Database, type PoolOptions } from './pool.ts';
import { enterRecovery } from './recovering.ts';
import { originOf } from './server.ts';

export interface StartOptions {
  readonly database: PoolOptions;
  /** Off: an older schema is refused. */
  readonly migrates: boolean;
  readonly deployment: Deployment;
  /** For all tries together, ms. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Fires when the process is to stop. */
  readonly signal?: AbortSignal | undefined;
  /** PostgreSQL is not usable yet, and the start is retried. Without personal data. */
  readonly onWait: (why: string, waitedMs: number) => void;
}

export interface StartedLedger {
  readonly database: Database;
  readonly id: string;
  readonly epoch: number;
  /** Names of the migrations applied by this start. */
  readonly applied: readonly string[];
  readonly isRecovering: boolean;
}

/** The schema is older than this version, and MIGRATE is off for this process. */
export class SchemaOutdated extends Error {
  override readonly name = 'SchemaOutdated';
}

/** The ledger belongs to a deployment with other settings: nothing was changed. */
export class AnotherDeployment extends Error {
  override readonly name = 'AnotherDeployment';
  readonly differences: readonly Difference[];

  constructor(differences: readonly Difference[]) {
    super(
      `The ledger belongs to another deployment:\n${differences.map((one) => `  - ${describe(one)}`).join('\n')}`,
    );
    this.differences = differences;
  }
}

const PAUSE_MS = 250;
const UUID_BYTES = 16;

/** Throws `SchemaOutdated`, `AnotherDeployment`, `UnsafeDatabase`, or the error of PostgreSQL after the patience. */
export async function startLedger(options: StartOptions): Promise<StartedLedger> {
  const { clock, patienceMs, signal, onWait } = options;
  const again = (error: unknown, waitedMs: number): boolean => {
    if (isFinalError(error)) return false;
    onWait(reasonOf(error), waitedMs);
    return true;
  };
  return retryUntilDeadline(() => start(options), { clock, limitMs: patienceMs, pauseMs: PAUSE_MS, signal, again });
}

async function start(options: StartOptions): Promise<StartedLedger> {
  const { database: at, migrates } = options;
  const { applied, origin } = await withClient(at, 'start', async (client) => ({
    applied: await upToDate(client, at.schema, migrates),
    origin: await originOf(client, at.schema),
  }));
  const database = new Database(at);
  try {
    const { id, epoch, recovering_at } = await ownLedger(database, options, origin);
    await makePartitions({ database, partitions: new Partitions({ database }) });
    return { database, id, epoch, applied, isRecovering: recovering_at !== null };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function upToDate(client: Client, schema: string, migrates: boolean): Promise<readonly string[]> {
  if (migrates) return migrate(client, { schema });
  const missing = await migrate(client, { schema, dryRun: true });
  if (missing.length === 0) return [];
  throw new SchemaOutdated(
    `The schema ${schema} lacks ${missing.join(', ')}, and MIGRATE is off: run relais migrate first.`,
  );
}

type Origin = Awaited<ReturnType<typeof originOf>>;

async function ownLedger(
  database: Database,
  { deployment, random }: StartOptions,
  origin: Origin,
): Promise<DeploymentRow> {
  const mode = modeOf(deployment) ?? 'live';
  await database.run('create_deployment', [random.hex(UUID_BYTES), deployment.environment, mode]);
  const differences = await stampAs(database, deployment);
  if (differences.length > 0) throw new AnotherDeployment(differences);
  return database.transaction(async (run) => {
    const [row] = await run<DeploymentRow>('lock_deployment');
    if (row === undefined) throw new Error('the deployment is gone');
    const isCopy = differs(row.system_id, origin.system) || differs(row.operation_oid, origin.oid);
    if (isCopy && row.recovering_at === null) await enterRecovery(run, 'copy');
    if (!isCopy) {
      await run('note_origin', [origin.system ?? row.system_id, origin.oid ?? row.operation_oid]);
      return row;
    }
    const [now] = await run<DeploymentRow>('read_deployment');
    return now ?? row;
  });
}

const differs = (stored: string | null, found: string | number | null): boolean =>
  stored !== null && found !== null && stored !== String(found);

/** Wrong names, passwords and certificates are permanent errors; all others may be temporary. */
const WRONG_FOR_GOOD = /^(28|3D000|42|22|0P|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

function isFinalError(error: unknown): boolean {
  if (error instanceof SchemaOutdated || error instanceof AnotherDeployment) return true;
  if (error instanceof UnsafeDatabase || error instanceof MigrationRefused) return true;
  return WRONG_FOR_GOOD.test(codeOf(error));
}

function codeOf(error: unknown): string {
  const cause = error instanceof DatabaseAway ? error.cause : error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Texts of PostgreSQL can quote values of a row: the code alone is safe. */
const reasonOf = (error: unknown): string => codeOf(error) || (error instanceof Error ? error.name : 'unknown');

function describe(one: Difference): string {
  if (one.of === 'environment') return `its environment is ${one.stamped}, and ENVIRONMENT is ${one.ours}`;
  if (one.of === 'mode')
    return `its account ${one.account} is in ${one.stamped} mode, and the settings say ${one.ours}`;
  if (one.of === 'address') return `${one.setting} is another provider than that of the ledger`;
  return `the account ${one.account} is missing from the settings, and its operation ${one.open} is pending`;
}
