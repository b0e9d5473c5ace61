/** `relais init`: a file of settings with generated secrets. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { systemRandom } from '../lib/random.ts';
import { type Config, metas, settings } from '../settings/settings.ts';
import { CommandFailed } from './failure.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';
import { saidBy, unsaid } from '../messages/schemas.ts';
import { textOf } from '../messages/texts.ts';

interface InitFlags {
  readonly file: string;
  readonly yes?: true;
}

/** Values that only the user knows, in the order of the questions. */
const ASKED = [
  'DATABASE_URL',
  'SERVICE_BASE_URL',
  'SERVICE_MASTER_KEY',
  'SERVICE_PRIVATE_KEY',
  'SERVICE_TOKEN',
  'SERVICE_CRM_URL',
  'SMS_USER_KEY',
  'SMS_SECRET_KEY',
  'SMS_APP_KEY',
  'SMS_SENDER',
  'DEFAULT_COUNTRY',
  'PUBLIC_URL',
] as const satisfies readonly (keyof Config)[];

type Asked = (typeof ASKED)[number];
type Answers = ReadonlyMap<Asked, string>;

/** Without the first of each group, the others are useless. */
const NEEDS: Partial<Record<Asked, Asked>> = {
  SERVICE_MASTER_KEY: 'SERVICE_BASE_URL',
  SERVICE_PRIVATE_KEY: 'SERVICE_BASE_URL',
  SERVICE_TOKEN: 'SERVICE_BASE_URL',
  SMS_USER_KEY: 'SERVICE_CRM_URL',
  SMS_SECRET_KEY: 'SERVICE_CRM_URL',
  SMS_APP_KEY: 'SERVICE_CRM_URL',
  SMS_SENDER: 'SERVICE_CRM_URL',
};

const SECRET_BYTES = 32;
const KEY_BYTES = 24;
const ONLY_ME = 0o600;

export function addInit(command: Command, shell: Shell): void {
  command
    .option('--file <path>', 'path of the new file; an existing file is never changed', '.env')
    .option('--yes', 'ask no questions: values that only you know are left empty')
    .action(shell.action((flags: InitFlags) => writeSettings(flags, shell)));
  withExample(command, 'relais init');
}

async function writeSettings({ file, yes }: InitFlags, shell: Shell): Promise<ExitCode> {
  const { init: words } = shell.words;
  // Checked before the questions. Writing would refuse it too.
  if (existsSync(file)) throw new CommandFailed(words.thereAlready(file), { next: words.removeIt });
  const answers = yes || !shell.io.isTerminal ? new Map<Asked, string>() : await askAll(shell);
  await writeNew(file, contentOf(answers, shell), shell);
  await shell.output.prose(words.written(file));
  const open = ASKED.filter((name) => !answers.has(name));
  if (open.length > 0) await shell.output.prose(words.leftOpen(open.join(', ')));
  await shell.output.prose(words.next(file.includes('/') ? file : `./${file}`));
  return 0;
}

/** Never overwrites a file, even one created a moment ago. */
async function writeNew(file: string, content: string, { words }: Shell): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: ONLY_ME });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const { thereAlready, removeIt, cannotWrite, writeElsewhere } = words.init;
    if (code === 'EEXIST') throw new CommandFailed(thereAlready(file), { next: removeIt, cause });
    throw new CommandFailed(cannotWrite(file, code), { next: writeElsewhere, cause });
  }
}

async function askAll(shell: Shell): Promise<Answers> {
  const { init: words } = shell.words;
  const answers = new Map<Asked, string>();
  const typed = openTyping(shell);
  try {
    await shell.output.prose(words.hello);
    for (const name of ASKED) {
      const first = NEEDS[name];
      if (first !== undefined && !answers.has(first)) continue;
      const answer = await askUntilRight(name, typed, shell);
      if (answer !== '') answers.set(name, answer);
    }
  } finally {
    typed.close();
  }
  return answers;
}

interface Typing {
  /** '' at the end of the input. */
  readonly line: (question: string, hidden: boolean) => Promise<string>;
  readonly close: () => void;
}

/** Typed secrets are not shown. */
function openTyping({ io, words }: Shell): Typing {
  let hidden = false;
  let isStopped = false;
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!hidden) io.stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: io.stdin, output: shown, terminal: 'isTTY' in io.stdin, signal: io.signal });
  // In raw mode Ctrl-C is a key and no signal; unhandled, it would only end the answers.
  lines.on('SIGINT', () => {
    isStopped = true;
    lines.close();
  });
  const each = lines[Symbol.asyncIterator]();
  return {
    line: async (question, hide) => {
      io.stdout.write(question);
      hidden = hide;
      const { value, done } = await each.next();
      if (hidden) io.stdout.write('\n');
      hidden = false;
      if (isStopped) throw new CommandFailed(words.shell.stopped);
      return done ? '' : value.trim();
    },
    close: () => lines.close(),
  };
}

async function askUntilRight(name: Asked, typing: Typing, { output, words, language }: Shell): Promise<string> {
  const secret = metas.get(name)?.secret ?? false;
  for (;;) {
    const answer = await typing.line(`${words.init.asks[name]} (${name}): `, secret);
    if (answer === '') return '';
    const wrong = whatIsWrong(name, answer, { words, language });
    if (wrong === undefined) return answer;
    await output.note(printable(`${name}: ${wrong}`));
  }
}

function whatIsWrong(
  name: Asked,
  answer: string,
  { words: { commands }, language }: Pick<Shell, 'words' | 'language'>,
): string | undefined {
  // Shells, compose and systemd read this file, and agree only on the plainest text.
  if (!/^[\w.:/@%+,=~-]+$/.test(answer)) return commands.plainLetters;
  const [issue] = settings.shape[name].safeParse(answer, { error: unsaid }).error?.issues ?? [];
  return issue && textOf(saidBy(issue), language);
}

function contentOf(answers: Answers, { words }: Shell): string {
  const { init } = words;
  const made = (bytes: number): string => systemRandom.hex(bytes);
  const operator = made(KEY_BYTES);
  const keys = [
    `service:enqueue+read:${made(KEY_BYTES)}`,
    `operator:enqueue+read+operate:${operator}`,
    `approver:read+approve:${made(KEY_BYTES)}`,
  ];
  return [
    ...init.head.map((line) => `# ${line}`),
    '',
    '# docker compose',
    'COMPOSE_PROJECT_NAME=relais',
    '',
    `# ${init.keep}`,
    `CALLBACK_SECRET=${made(SECRET_BYTES)}`,
    `SEALING_SECRET=${made(SECRET_BYTES)}`,
    '',
    ...init.keys.map((line) => `# ${line}`),
    `API_KEYS=${keys.join(',')}`,
    '',
    `# ${init.commands}`,
    `RELAIS_API_KEY=${operator}`,
    '',
    `# ${init.service}`,
    ...ASKED.map((name) => (answers.has(name) ? `${name}=${answers.get(name)}` : `# ${name}=`)),
    '',
  ].join('\n');
}
