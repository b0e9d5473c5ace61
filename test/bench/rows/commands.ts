/** What it costs to start a command, in the time of the processor, beside a `node` that does nothing. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { median } from '../measure.ts';
import { type RowMaker, interleaved } from '../rows.ts';

/** Each takes a tenth of a second. */
const ROUNDS_OF_EACH = 5;

/** Told by the process itself when it ends, however it does. */
const TELLS = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeFileSync(process.env.BENCH_TOLD, String((user + system) / 1000));
});`;

/** As GET /v1/status answers where nothing has happened yet. */
const STATUS = {
  operations: {},
  inDoubt: [],
  waiting: [],
  holds: [],
  campaigns: [],
  queues: [],
  workers: 1,
  balances: [],
  history: null,
  redis: { daysUntilFull: null },
};

type Settings = Readonly<Record<string, string>>;

/** The processor time of `node` with these arguments, ms; asked for once for each run. */
export async function processorTime(dir: string, settings: Settings): Promise<(...args: string[]) => Run> {
  const [preload, told] = [join(dir, 'tells.cjs'), join(dir, 'told')];
  await writeFile(preload, TELLS);
  const env = { ...process.env, BENCH_TOLD: told, ...settings };
  return (...args) =>
    async () => {
      await new Promise<void>((resolve, reject) => {
        execFile(process.execPath, ['--require', preload, ...args], { env }, (error, _stdout, stderr) =>
          error ? reject(new Error(stderr)) : resolve(),
        );
      });
      return Number(await readFile(told, 'utf8'));
    };
}

type Run = () => Promise<number>;

export const commandRows: RowMaker = async ({ dir, program }, { rounds }) => {
  const api = createServer((_asked, answer) => {
    answer.setHeader('content-type', 'application/json').end(JSON.stringify(STATUS));
  });
  await new Promise<void>((resolve) => void api.listen(0, '127.0.0.1', resolve));
  const ms = await processorTime(dir, {
    RELAIS_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    RELAIS_API_KEY: 'key-of-the-bench',
  });
  try {
    const took = await interleaved(rounds * ROUNDS_OF_EACH, {
      nothing: ms('--eval', '0'),
      version: ms(program, '--version'),
      help: ms(program, '--help'),
      status: ms(program, 'status'),
    });
    const times = (values: readonly number[]): number => median(values) / median(took.nothing);
    return [
      {
        title: 'start a command',
        figures: [
          { label: 'node that does nothing', values: took.nothing, unit: 'ms of processor' },
          { label: 'relais --version', values: took.version, unit: 'ms of processor' },
          { label: 'relais --help', values: took.help, unit: 'ms of processor' },
          { label: 'relais status', values: took.status, unit: 'ms of processor' },
        ],
        aims: [
          { text: 'times `node -e 0`: --version', value: times(took.version), most: 3 },
          { text: 'times `node -e 0`: --help', value: times(took.help), most: 3 },
          { text: 'times `node -e 0`: status', value: times(took.status), most: 7 },
        ],
      },
    ];
  } finally {
    api.close();
  }
};
