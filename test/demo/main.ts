/** The steps of ./script/demo after its setup. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { startPostgres } from '../support/postgres.ts';
import { Processes } from '../support/processes.ts';
import { API_KEY, openStage, type Stage } from '../support/stage.ts';
import { play } from './play.ts';

/** Exit codes of shells: 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const NOBODY_READS = 141;

/** The daily report, which stays after everything has stopped. */
const PAGE = fileURLToPath(new URL('../../.relais/demo.html', import.meta.url));

const startedMono = performance.now();
const logs = mkdtempSync(join(tmpdir(), 'relais-demo-'));
const processes = new Processes(logs);
/** The servers, which end after the processes. */
const closing: (() => Promise<unknown>)[] = [];
let isEnding = false;
/** Known after the records were compared. */
let verdict: 0 | 1 | undefined;

/** Resolves with the exit code of the first stop signal. */
const asked = new Promise<number>((resolve) => {
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      // A second signal ends at once; remaining processes are killed on exit.
      if (isEnding) process.exit(code);
      isEnding = true;
      resolve(code);
    });
  }
  // The output was closed (`| head`): stop.
  process.stdout.on('error', () => resolve(NOBODY_READS));
});
process.on('exit', () => processes.killAll());

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A step, with the seconds since the beginning. */
function say(text: string): void {
  const seconds = ((performance.now() - startedMono) / 1_000).toFixed(0).padStart(3);
  print(`${seconds} s  ${text.replaceAll('\n', '\n       ')}`);
}

async function show(stay: boolean): Promise<number> {
  const { REDIS_SERVER_BIN: binary } = process.env;
  const redis = await startEmbeddedRedis(binary ? { binary } : {});
  closing.push(() => redis.stop());
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const stage = await openStage({ processes, redisUrl: redis.url, databaseUrl: postgres.url, workers: 2 });
  say(`Started PostgreSQL, Redis, ${processes.running.map(({ name, pid }) => `${name} ${pid}`).join(', ')}.`);
  const { table, wrong } = await play(stage, say);
  verdict = wrong.length === 0 ? 0 : 1;
  print(`\n${table}\n`);
  print(wrong.length === 0 ? 'Nothing took effect twice, and everything is as relais reports it.' : wrong.join('\n'));
  if (verdict !== 0) print(`The logs of all processes are in ${logs}`);
  mkdirSync(dirname(PAGE), { recursive: true });
  writeFileSync(PAGE, await stage.api.page('/v1/reports/daily'));
  if (!stay) print(ENDING);
  else {
    invite(stage);
    await asked;
  }
  return verdict;
}

const ENDING = `
Next: ./script/demo --stay    the same, and its console stays up to be looked at
      ./bin/relais.js dev     your own, with nothing to configure
The report of the day: ${pathToFileURL(PAGE).href}`;

function invite({ api }: Stage): void {
  print(`
Until Ctrl-C: RELAIS_URL=${api.base} RELAIS_API_KEY=${API_KEY} ./bin/relais.js status
Look at what happened, with the key “${API_KEY}”: ${api.base}/console/operations/disbursement`);
}

async function cleanUp(keepLogs: boolean): Promise<void> {
  await processes.stopAll();
  for (const close of closing) await close();
  if (!keepLogs) rmSync(logs, { recursive: true, force: true });
}

/** Until the end of the demo, or a signal. */
async function main(): Promise<number> {
  try {
    const signalled = await Promise.race([show(process.argv.includes('--stay')), asked]);
    const code = verdict ?? signalled;
    await cleanUp(code === 1);
    return code;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    print(`\nThe demo broke off: ${reason}\nThe logs of all processes are in ${logs}`);
    await cleanUp(true);
    return 1;
  }
}

process.exit(await main());
