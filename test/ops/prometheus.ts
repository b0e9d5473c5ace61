/** A real Prometheus, with promtool. Neither is an npm package: script/setup-prometheus fetches them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { stringify } from 'yaml';
import { freePort } from '../../src/lib/listening.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const UNPACKED = fileURLToPath(new URL('../../.relais/prometheus/bin', import.meta.url));

function findTool(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), UNPACKED];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // it is not there, or not for us
  }
}

const promtoolBin = findTool('promtool');
const prometheusBin = findTool('prometheus');

/** Why the tests that need them cannot run here; undefined: they can. */
export const missing =
  promtoolBin && prometheusBin ? undefined : 'skipped: no Prometheus here; script/setup-prometheus fetches one';

if (missing) console.warn(missing);

/** Runs promtool. `failed` is its output when it fails. */
export async function promtool(args: readonly string[], input = ''): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(promtoolBin ?? 'promtool', [...args], (error, stdout, stderr) =>
      resolve({ ok: error === null, output: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

export interface Alert {
  readonly name: string;
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus {
  /** The result of a query; throws with Prometheus' error. */
  query(expr: string): Promise<readonly Sample[]>;
  alerts(): Promise<readonly Alert[]>;
  targets(): Promise<readonly { readonly url: string; readonly health: string }[]>;
  /** Resolves when an alert of this name fires. */
  untilFiring(name: string): Promise<Alert>;
  stop(): Promise<void>;
}

export interface PrometheusOptions {
  /** Addresses of the metrics pages. */
  readonly targets: readonly string[];
  /** Contents of rule files. */
  readonly rules: readonly string[];
  /** The interval of scrapes and of rule evaluations. */
  readonly every?: string;
}

const ASK_EVERY_MS = 100;

export async function startPrometheus({ targets, rules, every = '1s' }: PrometheusOptions): Promise<Prometheus> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-prometheus-'));
  rules.forEach((text, place) => writeFileSync(join(dir, `rules-${place}.yml`), text));
  const config = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['rules-*.yml'],
    scrape_configs: [{ job_name: 'relais', static_configs: [{ targets: targets.map((url) => new URL(url).host) }] }],
  };
  writeFileSync(join(dir, 'prometheus.yml'), stringify(config));
  const port = await freePort();
  const child = spawn(
    prometheusBin ?? 'prometheus',
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'inherit' },
  );
  // A vitest worker that is stopped early runs no hooks, but this.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  const stop = async (): Promise<void> => {
    process.off('exit', end);
    await ended(child);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    return await ready(`http://127.0.0.1:${port}`, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ready(url: string, stop: () => Promise<void>): Promise<Prometheus> {
  const answers = async (): Promise<boolean> => {
    const answer = await request(`${url}/-/ready`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 200;
  };
  await until('Prometheus is ready', answers, PATIENCE_MS);
  const alerts = async (): Promise<readonly Alert[]> => {
    const { alerts: found } = (await ask(`${url}/api/v1/alerts`)) as {
      alerts: { labels: Record<string, string>; state: Alert['state'] }[];
    };
    return found.map(({ labels, state }) => ({ name: labels['alertname'] ?? '', state, labels }));
  };
  return {
    alerts,
    stop,
    query: async (expr) => {
      const { result } = (await ask(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)) as {
        result: { metric: Record<string, string>; value: [number, string] }[];
      };
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    targets: async () => {
      const { activeTargets } = (await ask(`${url}/api/v1/targets`)) as {
        activeTargets: { scrapeUrl: string; health: string }[];
      };
      return activeTargets.map(({ scrapeUrl, health }) => ({ url: scrapeUrl, health }));
    },
    untilFiring: (name) => {
      const firing = async () => (await alerts()).find((alert) => alert.name === name && alert.state === 'firing');
      return until(`${name} fires`, firing, PATIENCE_MS);
    },
  };
}

/** Polls until there is a result, and returns it. */
export async function until<T>(what: string, look: () => Promise<T>, limitMs: number): Promise<NonNullable<T>> {
  const giveUp = AbortSignal.timeout(limitMs);
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (giveUp.aborted) throw new Error(`not within ${limitMs} ms: ${what}`);
    await systemClock.sleep(ASK_EVERY_MS);
  }
}

async function ask(url: string): Promise<unknown> {
  const answer = await request(url);
  const body = (await answer.body.json()) as { status: string; data: unknown; error?: string };
  if (body.status !== 'success') throw new Error(`${body.error}: ${url}`);
  return body.data;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
