/**
 * The demo stays up, Prometheus watches it with every rule loaded, and nothing may fire. What ./script/watch-quiet runs;
 * exit 0: all was quiet.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/lib/clock.ts';
import { missing, startPrometheus } from './prometheus.ts';
import { readOps, rulesOf } from './rules-files.ts';

const LOOK_EVERY_MS = 5_000;

async function watch(targets: readonly string[], minutes: number): Promise<readonly string[]> {
  const prometheus = await startPrometheus({
    targets,
    rules: ['alerts', 'recording'].map((file) => readOps(`prometheus/rules/${file}.yml`)),
    every: '5s',
  });
  const seen = new Set<string>();
  try {
    for (let passedMs = 0; passedMs < minutes * 60_000; passedMs += LOOK_EVERY_MS) {
      await systemClock.sleep(LOOK_EVERY_MS);
      for (const { name, state, labels } of await prometheus.alerts())
        seen.add(`${state} ${name} ${JSON.stringify(labels)}`);
    }
    const up = (await prometheus.targets()).filter(({ health }) => health === 'up');
    const [{ value: series } = { value: 0 }] = await prometheus.query('sum(scrape_samples_scraped)');
    console.log(`${up.length} of ${targets.length} targets are up and show ${series} series.`);
    if (up.length < targets.length) seen.add('firing: a target is down');
  } finally {
    await prometheus.stop();
  }
  return [...seen];
}

async function main(minutes: number): Promise<number> {
  if (missing) {
    console.error(missing);
    return 1;
  }
  const demo = spawn(fileURLToPath(new URL('../../script/demo', import.meta.url)), ['--stay'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  try {
    const targets: string[] = [];
    for await (const line of createInterface({ input: demo.stdout })) {
      console.log(line);
      const [, ports] = /^Until Ctrl-C .* metrics ([\d ]+)$/.exec(line) ?? [];
      for (const port of ports?.split(' ') ?? []) targets.push(`http://127.0.0.1:${port}`);
      if (line.startsWith('Look at ')) break;
    }
    if (targets.length === 0) throw new Error('the demo did not stay up');
    console.log(`\nWatching for ${minutes} minutes, with ${rulesOf('alerts').length} alerts …`);
    const seen = await watch(targets, minutes);
    const firing = seen.filter((line) => line.startsWith('firing'));
    for (const line of seen) console.log(line);
    console.log(firing.length === 0 ? 'All was quiet: nothing fired.' : `${firing.length} fired.`);
    return firing.length === 0 ? 0 : 1;
  } finally {
    demo.kill('SIGINT');
    await ended;
  }
}

process.exit(await main(Number(process.argv[2] ?? 5)));
