/** What ./script/demo runs once everything is set up. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { play } from './demonstration/play.ts';
import { Processes } from './demonstration/processes.ts';
import { type DemoPostgres, openPostgres } from './demonstration/postgres.ts';
import { type DemoRedis, openRedis } from './demonstration/redis.ts';
import { API_KEY, type Stage, openStage } from './demonstration/stage.ts';
import { Story, WIDEST, wrapped } from './demonstration/story.ts';
import { exitCodeOf, renderSentence, renderTable } from './demonstration/verdict-text.ts';

/** Exit codes as shells write them: 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const NOBODY_READS = 141;

/** What stays of it, inside the folder: what the day came to, as a page. */
const PAGE = fileURLToPath(new URL('../.relais/demo.html', import.meta.url));

const logs = mkdtempSync(join(tmpdir(), 'relais-demo-'));
const processes = new Processes(logs);
const story = new Story();
const stop = new AbortController();
let redis: DemoRedis | undefined;
let postgres: DemoPostgres | undefined;
/** Known once the books were compared. */
let verdict: 0 | 1 | undefined;

/** Resolves with the exit code of the first signal that asks us to end. */
const asked = new Promise<number>((resolve) => {
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      // The second time means it; what is still there is killed on the way out.
      if (stop.signal.aborted) process.exit(code);
      stop.abort();
      resolve(code);
    });
  }
  // A reader that went away (`| head`) has seen enough.
  process.stdout.on('error', () => resolve(NOBODY_READS));
});
process.on('exit', () => processes.killAll());

async function show(stay: boolean): Promise<number> {
  [redis, postgres] = await Promise.all([openRedis(), openPostgres()]);
  const places = { redisUrl: redis.url, databaseUrl: postgres.url };
  const stage = await openStage({ processes, ...places, workers: 2, settings: redis.settings });
  const pids = processes.running.map(({ name, pid }) => `${name} ${pid}`);
  story.say(`${redis.name}, ${pids.join(', ')}.`);
  const verdicts = await play(stage, story);
  verdict = exitCodeOf(verdicts);
  story.print(`\nThe books of the service, compared with our records line by line:\n${renderTable(verdicts)}`);
  story.conclude(wrapped(renderSentence(verdicts), WIDEST), verdict === 0);
  if (verdict !== 0) story.print(`The logs of all processes are in ${logs}`);
  mkdirSync(dirname(PAGE), { recursive: true });
  writeFileSync(PAGE, await stage.api.page('/v1/reports/daily'));
  if (stay) {
    invite(stage);
    await asked;
  } else story.print(ENDING);
  return verdict;
}

/** Everything has stopped by then, so what can be looked at is a file. */
const ENDING = `
Next: ./script/demo --stay    the same, and its console stays up to be looked at
      ./bin/relais.js dev     your own, with nothing to configure
Look at what the day came to: ${pathToFileURL(PAGE).href}`;

function invite({ api, control, redisUrl }: Stage): void {
  const metrics = processes.running.flatMap(({ urls }) => urls['metrics'] ?? []);
  const ports = [api.base, control.base, redisUrl, ...metrics].map((url) => new URL(url).port);
  const [ofApi, ofSandbox, ofRedis, ...ofMetrics] = ports;
  story.print(
    `
Until Ctrl-C on 127.0.0.1: API ${ofApi}, sandbox ${ofSandbox}, Redis ${ofRedis}, metrics ${ofMetrics.join(' ')}
Next: RELAIS_URL=${api.base} RELAIS_API_KEY=${API_KEY} ./bin/relais.js status
      ./bin/relais.js dev     your own, with nothing to configure
Look at what happened, with the key “${API_KEY}”: ${api.base}/console/operations/disbursement`,
  );
}

async function cleanUp(keepLogs: boolean): Promise<void> {
  await processes.stopAll();
  await redis?.stop();
  await postgres?.stop();
  if (!keepLogs) rmSync(logs, { recursive: true, force: true });
}

/** Whichever comes first: the end of the story, or somebody who does not want to hear it. */
async function main(): Promise<number> {
  try {
    const told = show(process.argv.includes('--stay'));
    const signalled = await Promise.race([told, asked]);
    const code = verdict ?? signalled;
    story.end();
    await cleanUp(code === 1);
    return code;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    story.print(`\nThe demonstration broke off: ${reason}\nThe logs of all processes are in ${logs}`);
    await cleanUp(true);
    return 1;
  }
}

process.exit(await main());
