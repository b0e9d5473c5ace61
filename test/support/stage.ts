/** The processes of a story or of the demo: the sandbox, one for API and webhooks, and workers. */
import { sandboxKeys } from '../../src/app/sandbox.ts';
import { Asking } from './asking.ts';
import type { Processes, RunningProcess } from './processes.ts';

export const API_KEY = 'demo';

/** Concurrent requests of a worker, for SMS and for disbursements each. */
export const WORKER_SLOTS = 3;

type Settings = Readonly<Record<string, string>>;

/** Seconds instead of minutes, so that time-outs and status checks fit into a story. */
const QUICK: Settings = {
  UPSTREAM_TIMEOUT: '2s',
  UPSTREAM_CONNECT_TIMEOUT: '1s',
  UPSTREAM_RATE: '40',
  DISBURSEMENT_QUIET_PERIOD: '2s',
  QUIET_HOURS: 'off',
  DISBURSEMENT_POLL: '1s,2s,2s,3s',
  SMS_SETTLE_DELAY: '2s',
  HOLD_RECHECK: '2s',
  SWEEP_INTERVAL: '250ms',
  DRAIN_TIMEOUT: '3s',
  // Few concurrent requests, so that a campaign of two thousand lasts long enough to observe.
  WORKER_CONCURRENCY: String(WORKER_SLOTS),
  API_RATE: '0',
};

const FREE_PORTS: Settings = {
  API_PORT: '0',
  WEBHOOKS_PORT: '0',
  METRICS_PORT: '0',
  SANDBOX_PORT: '0',
  SANDBOX_CRM_PORT: '0',
  SANDBOX_CONTROL_PORT: '0',
};

export interface Stage {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly sandbox: RunningProcess;
  readonly front: RunningProcess;
  readonly workers: readonly RunningProcess[];
  /** Our own API. */
  readonly api: Asking;
  /** The control API of the sandbox: its records and its faults. */
  readonly control: Asking;
  startWorker(): Promise<RunningProcess>;
}

export interface StageOptions {
  readonly processes: Processes;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** Initial number of workers. */
  readonly workers: number;
  /** They replace those of the stage. */
  readonly settings?: Settings;
}

export async function openStage({
  processes,
  redisUrl,
  databaseUrl,
  workers,
  settings = {},
}: StageOptions): Promise<Stage> {
  const sandbox = await processes.start('sandbox', ['sandbox'], FREE_PORTS);
  const common: Settings = {
    ...FREE_PORTS,
    ...sandboxKeys,
    ...QUICK,
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    API_KEYS: `demo:enqueue+read+approve+operate:${API_KEY}`,
    CALLBACK_SECRET: 'only-for-this-stage',
    SERVICE_BASE_URL: sandbox.urls['base'] ?? '',
    SERVICE_CRM_URL: sandbox.urls['crm'] ?? '',
    ...settings,
  };
  const front = await processes.start('doors', ['run', '--roles', 'api,webhooks'], common);
  let started = 0;
  const startWorker = (): Promise<RunningProcess> => {
    started += 1;
    const publicUrl = { PUBLIC_URL: front.urls['webhooks'] ?? '' };
    return processes.start(`worker-${started}`, ['run', '--roles', 'worker'], { ...common, ...publicUrl });
  };
  return {
    redisUrl,
    databaseUrl,
    sandbox,
    front,
    workers: await Promise.all(Array.from({ length: workers }, startWorker)),
    api: new Asking(front.urls['api'] ?? '', API_KEY),
    control: new Asking(sandbox.urls['control'] ?? ''),
    startWorker,
  };
}
