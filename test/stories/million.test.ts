/**
 * A whole campaign as its sender runs it: a file, a start, a report, compared with the sandbox's records one by one.
 * 10,000 recipients; RELAIS_DEEP=1 makes it a million.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { API_KEY } from '../support/stage.ts';
import { AS_SHIPPED } from '../../script/shipped.ts';
import { openProcesses, openWorld, type World } from '../support/world.ts';
import { DEEP } from '../support/deep.ts';

const PEOPLE = DEEP ? 1_000_000 : 10_000;
const LIMIT_MS = 1_200_000;
const FIRST_NUMBER = 221_770_000_000;

let dir: string;
let world: World;
let commands: ReturnType<typeof openProcesses>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-million-'));
  const quick = { WORKER_CONCURRENCY: '25', UPSTREAM_RATE: '0', LOG_LEVEL: 'warn', ...AS_SHIPPED };
  world = await openWorld({ workers: 2, settings: quick });
  commands = openProcesses();
});

afterAll(async () => {
  await commands?.close();
  await world?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A command's output. Throws with its stderr if it failed. */
async function relais(...args: readonly string[]): Promise<string> {
  const settings = { RELAIS_URL: world.api.base, RELAIS_API_KEY: API_KEY };
  const { code, stdout, log } = await commands.processes.run(args, settings);
  if (code !== 0) throw new Error(`relais ${args.join(' ')} ended with ${code}: ${log}`);
  return stdout;
}

function* file(): Iterable<string> {
  yield 'to;prenom\n';
  for (let at = 0; at < PEOPLE; at += 1) yield `+${FIRST_NUMBER + at};A${at % 1_000}\n`;
}

/** How often each number was sent to, by the sandbox's records. */
async function booked(): Promise<Map<string, number>> {
  const answer = await fetch(`${world.control.base}/books/messages`, { headers: { accept: 'application/x-ndjson' } });
  const times = new Map<string, number>();
  for await (const line of createInterface({ input: Readable.fromWeb(answer.body as never) })) {
    const entry = JSON.parse(line) as { to: string; times: number };
    const to = entry.to.replace('+', '');
    times.set(to, (times.get(to) ?? 0) + entry.times);
  }
  return times;
}

test(
  `${PEOPLE} recipients: the report and the provider’s records agree about each of them`,
  async () => {
    const recipients = join(dir, 'people.csv');
    await pipeline(Readable.from(file()), createWriteStream(recipients));
    const text = ['--name', 'million', '--text', 'Bonjour {{prenom}}'];
    const made = await relais('campaign', 'create', ...text, '--no-canary', '--yes', '--json', recipients);
    const { id } = JSON.parse(made) as { id: string };

    await relais('campaign', 'start', id);
    const finished = async (): Promise<void> => {
      const { state } = await world.api.get<{ state: string }>(`/v1/campaigns/${id}`);
      expect(state).toBe('finished');
    };
    await vi.waitFor(finished, { timeout: LIMIT_MS, interval: 250 });
    const { totals } = await world.api.get<{ totals: Record<string, number> }>(`/v1/campaigns/${id}`);
    expect(totals).toMatchObject({ total: PEOPLE, sent: PEOPLE });

    const reported = join(dir, 'report.csv');
    await pipeline(Readable.from([await relais('campaign', 'report', id, '--csv')]), createWriteStream(reported));
    const times = await booked();
    const wrong: unknown[] = [];
    let rows = 0;
    for await (const row of createReadStream(reported).pipe(parse({ columns: true, bom: true, delimiter: ';' }))) {
      const { to, state } = row as { to: string; state: string };
      rows += 1;
      const number = to.replace(/\D/g, '');
      if (state !== 'sent' || times.get(number) !== 1) wrong.push(row);
      times.delete(number);
    }
    expect(wrong).toEqual([]);
    expect([rows, times.size], 'everybody is in the report once, and nobody else was sent to').toEqual([PEOPLE, 0]);
  },
  LIMIT_MS,
);
