/**
 * How many rows of a recipient file are checked per second, compared with csv-parse alone on the same file. Alone:
 * `node script/bench-parts/check.ts [rows] [rounds]` prints the figures as JSON.
 */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'csv-parse';
import { checkRecipients } from '../../src/campaigns/check/check-recipients.ts';
import { SHIPPED_ARGS, SHIPPED_ENV } from '../shipped.ts';

interface CheckRates {
  readonly rows: number;
  readonly bytes: number;
  /** Rows per second, the median of the rounds: numbers, duplicates, variables, segments and cost of every row. */
  readonly check: number;
  /** Rows per second that csv-parse turns into arrays of cells, without further work. */
  readonly csvParse: number;
  /** `check` ÷ `csvParse`. */
  readonly ratio: number;
  /** The maximum memory, in MB, of a process that only checked the file. */
  readonly peakMb: number;
}

/** The two alternate, so that other load slows down both. */
async function measureCheck({ rows = 1_000_000, rounds = 5 } = {}): Promise<CheckRates> {
  const folder = await mkdtemp(join(tmpdir(), 'relais-bench-check-'));
  try {
    const file = join(folder, 'recipients.csv');
    await pipeline(Readable.from(fileOf(rows)), createWriteStream(file));
    const check: number[] = [];
    const csvParse: number[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      csvParse.push(await timed(() => parseAlone(file, rows)));
      check.push(
        await timed(async () => {
          bytes = await checkWhole(file, rows);
        }),
      );
    }
    const rateOf = (seconds: readonly number[]): number => Math.round(rows / median(seconds));
    const [checked, parsed] = [rateOf(check), rateOf(csvParse)];
    const ratio = Math.round((checked / parsed) * 100) / 100;
    return { rows, bytes, check: checked, csvParse: parsed, ratio, peakMb: await peakOfCheck(file, rows) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const NAMES = ['Awa', 'Françoise', 'Koffi', 'Ndèye', 'Yao', 'Aïcha', 'Moussa', 'Zoë'];
const ROWS_AT_ONCE = 1_000;

/** Distinct numbers, separated like a French spreadsheet, with some accents. */
export function* fileOf(rows: number): Generator<string> {
  yield 'numero;prenom;montant\n';
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    let text = '';
    for (let row = from; row < Math.min(rows, from + ROWS_AT_ONCE); row += 1) {
      // Spread over the range: consecutive numbers would be unrealistic.
      const number = String((row * 7_919) % 10_000_000).padStart(7, '0');
      text += `+22177${number};${NAMES[row % NAMES.length]};${(row * 37) % 90_000}\n`;
    }
    yield text;
  }
}

async function checkWhole(file: string, rows: number): Promise<number> {
  const check = checkRecipients(createReadStream(file), {
    country: 'SN',
    text: 'Bonjour {{prenom}}, votre solde est de {{montant}} F.',
    prices: { SN: 20 },
  });
  for await (const row of check) void row;
  const { recipients, bytes } = check.summary();
  if (recipients !== rows) throw new Error(`${recipients} of ${rows} rows became recipients`);
  return bytes;
}

/** The fastest documented way of reading: no iterator, one `read` after the other. */
function parseAlone(file: string, rows: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    const parser = parse({ delimiter: ';' });
    parser.on('readable', () => {
      while (parser.read() !== null) seen += 1;
    });
    parser.on('error', reject);
    parser.on('end', () => (seen === rows + 1 ? resolve() : reject(new Error(`${seen} rows were read`))));
    createReadStream(file).on('error', reject).pipe(parser);
  });
}

async function timed(run: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await run();
  return (performance.now() - from) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * In a separate process: memory used earlier in this process would be counted too. The first run only fills the cache
 * of compiled code: stripping the types of our sources takes 28 MB, which no process of the image needs.
 */
async function peakOfCheck(file: string, rows: number): Promise<number> {
  const argv = [...SHIPPED_ARGS, fileURLToPath(import.meta.url), '--memory', file, String(rows)];
  const env = { ...process.env, ...SHIPPED_ENV, NODE_COMPILE_CACHE: join(dirname(file), 'compiled') };
  const check = () => promisify(execFile)(process.execPath, argv, { env });
  await check();
  return Number((await check()).stdout);
}

async function main([first, ...rest]: readonly string[]): Promise<void> {
  if (first === '--memory') {
    const [file = '', rows] = rest;
    await checkWhole(file, Number(rows));
    process.stdout.write(String(Math.round(process.resourceUsage().maxRSS / 1_024)));
    return;
  }
  const [rows, rounds] = [Number(first ?? 0), Number(rest[0] ?? 0)];
  const rates = await measureCheck({ ...(rows && { rows }), ...(rounds && { rounds }) });
  process.stdout.write(`${JSON.stringify(rates)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
