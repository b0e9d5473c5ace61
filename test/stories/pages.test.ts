/** The pages' commands, typed literally, in a separate `relais dev`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { blocksOf, pages, wordsOf } from '../docs/written.ts';
import { openProcesses } from '../support/world.ts';
import { root } from '../tidy/scanner.ts';

const FREE_PORTS = ['API', 'WEBHOOKS', 'METRICS', 'SANDBOX', 'SANDBOX_CRM', 'SANDBOX_CONTROL'];
/** `relais dev`'s names of the second user, and of the one who creates keys. */
const CHECKER = 'checker';
const ROOT_KEY = 'RELAIS_API_KEY=root';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Typed {
  readonly line: string;
  readonly code: number | null;
  readonly output: string;
}

interface Terminal {
  readonly control: string;
  readonly redis: string;
  /** Values for a page's placeholders: `ID`, `bat_…`. */
  readonly stands: Map<string, string>;
  readonly env: Record<string, string>;
  readonly folder: string;
  /** Until it ends, or until this output. */
  type(line: string, until?: RegExp): Promise<Typed>;
}

async function terminalAt(settings: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const { processes, close } = openProcesses();
  closing.push(close);
  const folder = mkdtempSync(join(tmpdir(), 'relais-pages-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const ports = Object.fromEntries(FREE_PORTS.map((name) => [`${name}_PORT`, '0']));
  const { urls } = await processes.start('dev', ['dev'], { ...ports, ...settings });
  const { api = '', control = '', redis = '' } = urls;
  const env: Record<string, string> = { RELAIS_URL: api, RELAIS_API_KEY: 'dev', CONTROL: control };
  const stands = new Map([['localhost:4012', control]]);
  return { control, redis, stands, env, folder, type: (line, until) => typed({ line, until, stands, env, folder }) };
}

interface Line extends Pick<Terminal, 'stands' | 'env' | 'folder'> {
  readonly line: string;
  readonly until: RegExp | undefined;
}

async function typed({ line, until, stands, env, folder }: Line): Promise<Typed> {
  const meant = [...stands].reduce((text, [written, is]) => text.replaceAll(written, is), line);
  const relais = `relais() { "${process.execPath}" "${join(root, 'bin/relais.js')}" "$@"; }`;
  const child = spawn('bash', ['-c', `${relais}\n${meant}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // So that its children get the interruption too, as in a terminal.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
      if (until?.test(output)) process.kill(-(child.pid ?? 0), 'SIGINT');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  for (const [id = '', kind = ''] of output.matchAll(/\b(dsb|cmp|bat|key)_[0-9a-z]{26}\b/g)) {
    stands.set(`${kind}_…`, id);
    stands.set(' ID', ` ${id}`);
  }
  return { line: meant, code, output };
}

/** The shell lines of a page, in order. */
function linesIn(path: string): readonly string[] {
  const page = pages.find((one) => one.path === path);
  if (!page) throw new Error(`no page ${path}`);
  return blocksOf(page)
    .filter(({ language }) => language === 'sh' || language === '')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .filter((line) => /^(?:\w+=\S* )*(?:relais|curl|export) /.test(line))
    .map((line) => line.replace(/\s{2,}#.*$| {3,}\S.*$/, ''));
}

const done = ({ line, code, output }: Typed): string => {
  expect(code, `${line}\n${output}`).toBe(0);
  return output;
};

/** `check` exits with 1 while a decision is open, and sends nothing, as the pages say. */
const undecided = ({ line, code, output }: Typed): void => expect(code, `${line}\n${output}`).toBe(1);

/** Of examples/recipients.csv, without its invalid rows. */
const RECIPIENTS = 1_955;

test.for(['docs/quickstart.md', 'docs/fr/quickstart.md'])(
  '%s: every line has the described effect, up to the records and the last SMS',
  async (page) => {
    const terminal = await terminalAt({ UPSTREAM_TIMEOUT: '2s' });
    const lines = linesIn(page);
    expect(lines.length).toBeGreaterThan(10);
    const seen = new Set<string>();
    for (const line of lines) {
      const [first = '', ...words] = wordsOf(line);
      const what = words.slice(0, 2).join(' ');
      if (first === 'export') {
        const [, language] = /\bLANG=(\S+)/.exec(line) ?? [];
        if (language !== undefined) terminal.env['LANG'] = language;
      } else if (what === 'campaign check') undecided(await terminal.type(line));
      else if (what === 'events --follow')
        await terminal.type(line, /"disbursement\.succeeded".*"amount":10000|"amount":10000.*"succeeded"/);
      else {
        const output = done(await terminal.type(line));
        if (line.includes('/books/summary'))
          expect(JSON.parse(output)).toMatchObject({ disbursements: 2, effects: 2, doubleEffects: 0 });
      }
      seen.add(what);
    }
    for (const what of ['disburse create', 'events --follow', 'campaign start', 'campaign report'])
      expect(seen).toContain(what);
    const books = (await (await fetch(`${terminal.control}/books/summary`)).json()) as Record<string, number>;
    expect(books).toMatchObject({ messagesRepeated: 0 });
    expect(books['messagesSent']).toBeGreaterThanOrEqual(RECIPIENTS);
  },
);

test(// Without an Excel file, a retry or a rejection: every row of this file is paid.
'docs/batches.md: its file is judged, handed in, approved by another with its hash, and reported', async () => {
  const terminal = await terminalAt();
  const [file] = blocksOf(pages.find(({ path }) => path === 'docs/batches.md') ?? { path: '', text: '' });
  writeFileSync(join(terminal.folder, 'salaries.csv'), file?.text ?? '');
  for (const line of linesIn('docs/batches.md').filter((one) => !/\.xlsx|batch-re(try|ject)/.test(one))) {
    const output = done(await terminal.type(line.replace('RELAIS_API_KEY=…', `RELAIS_API_KEY=${CHECKER}`)));
    const [hash] = /\b[0-9a-f]{64}\b/.exec(output) ?? [];
    if (hash !== undefined) terminal.stands.set('5f70bf18…', hash);
  }
  expect(readFileSync(join(terminal.folder, 'report.csv'), 'utf8')).toContain('salary-2026-11-koffi');
});

/** These need only a running relais. */
const LOOKED_AT = ['docs/audit.md', 'docs/incidents.md', 'docs/keys.md', 'docs/reports.md', 'docs/sandbox.md'];
const STEP_BY_STEP = ['docs/quickstart.md', 'docs/fr/quickstart.md', 'docs/batches.md'];
/** Needs psql and PHP: `test/producer/enqueue-languages.parts.test.ts` runs its program where a machine has them. */
const OF_OTHER_LANGUAGES = ['docs/sql.md'];
/** A statement of the provider, settings that are missing here, and a separate process. */
const ELSEWHERE = /^relais (?:reconcile|doctor|sandbox|explain)\b|METRICS_PORT/;

test('no page has an untested command', () => {
  const showing = pages.map(({ path }) => path).filter((path) => linesIn(path).length > 0);
  expect(showing.toSorted()).toEqual(['README.md', ...LOOKED_AT, ...STEP_BY_STEP, ...OF_OTHER_LANGUAGES].toSorted());
});

test('commands of other pages can be typed, one page after the other', async () => {
  const terminal = await terminalAt();
  for (const page of LOOKED_AT) {
    const lines = linesIn(page).filter((line) => !ELSEWHERE.test(line));
    expect(lines.length, page).toBeGreaterThan(1);
    for (const line of lines) {
      const asked = line
        .replace(/^curl /, 'curl --silent --fail-with-body ')
        .replace(/^relais keys /, `${ROOT_KEY} $&`)
        .replace(/^RELAIS_API_KEY=SECRET /, '');
      done(await terminal.type(asked));
    }
  }
});

describe('README.md', () => {
  const blockWith = (text: string): string => {
    const readme = pages.find(({ path }) => path === 'README.md') ?? { path: '', text: '' };
    const block = blocksOf(readme).find((one) => one.text.includes(text));
    if (block === undefined) throw new Error(`README.md has no block with ${text}`);
    return block.text;
  };

  test('its first example, pasted into a shell, ends with the final state', async () => {
    const terminal = await terminalAt();
    terminal.stands.set('http://127.0.0.1:3000', terminal.env['RELAIS_URL'] ?? '');
    const output = done(await terminal.type(blockWith('until curl')));
    expect(output.trim().split('\n').at(-1)).toMatch(/"state":"succeeded"$/);
  });

  test('its BullMQ example prints the outcome of the request, accepted once', async () => {
    const terminal = await terminalAt();
    const program = blockWith('waitUntilFinished');
    // In the project's folder, where its packages are found.
    const run = (text: string) => {
      const file = join(root, '.relais', `readme-${process.pid}.mjs`);
      writeFileSync(file, text);
      closing.push(() => rmSync(file, { force: true }));
      return terminal.type(`"${process.execPath}" "${file}"`);
    };
    terminal.env['REDIS_URL'] = terminal.redis;
    expect(done(await run(program))).toMatch(/id: 'dsb_[0-9a-z]{26}', outcome: 'accepted'/);
    expect(done(await run(program))).toMatch(/outcome: 'duplicate'/);
  });
});
