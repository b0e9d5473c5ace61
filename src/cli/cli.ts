/**
 * relais <command>. The long-running commands (run, dev, sandbox) are passed in; every other command is a client of
 * the HTTP API, so that identity, roles and guarantees are equal for every entry point. Commands with one request are
 * derived from the declaration of its route.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addDerived } from './derived.ts';
import { CommandFailed, NobodyListens, WrongUsage } from './failure.ts';
import { lineOf } from './flags.ts';
import { commands } from './generated/commands.ts';
import type { CliIo } from './io.ts';
import { printableLines } from './output.ts';
import { type Language, isLanguage, languageOfLocale } from '../messages/languages.ts';
import { Shell } from './shell.ts';

/** Runs one command; `argv` is without node and script. Exit code: 0 success, 1 refused or failed, 2 wrong usage. */
export async function runCli(given: readonly string[], io: CliIo): Promise<number> {
  const { language, argv } = languageOf(given, io);
  // The French of declared texts is in a separate table, loaded only if needed.
  const spoken = language === 'fr' ? (await import('../messages/help.ts')).inFrench : undefined;
  const shell = new Shell(io, { language, spoken });
  // Without a listener, a closed pipe (`| head -1`) would end the process with a stack trace.
  const gone = (): void => {};
  for (const stream of [io.stdout, io.stderr]) stream.on('error', gone);
  try {
    const words = argv.filter((word) => !word.startsWith('-'));
    const program = await makeProgram(shell, words);
    if (spoken) (await import('./translated.ts')).translate(program, spoken);
    await program.parseAsync([...argv], { from: 'user' });
    return await concluded(shell.exitCode, shell);
  } catch (error) {
    return await concluded(await explain(error, shell), shell);
  } finally {
    await shell.close();
  }
}

/** `--lang` is valid anywhere and for every command; default: the language of the terminal. */
export function languageOf(
  given: readonly string[],
  { env }: Pick<CliIo, 'env'>,
): { language: Language; argv: readonly string[] } {
  const at = given.findIndex((word) => word === LANG || word.startsWith(`${LANG}=`));
  const isAlone = given[at] === LANG;
  const asked = isAlone ? given[at + 1] : given[at]?.slice(LANG.length + 1);
  if (at >= 0 && isLanguage(asked)) return { language: asked, argv: given.toSpliced(at, isAlone ? 2 : 1) };
  return { language: languageOfLocale(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG']) ?? 'en', argv: given };
}

const LANG = '--lang';

/** `words`: the given command, whose subcommands are loaded; others are only listed in the help. */
export async function makeProgram(shell: Shell, words: readonly string[] | typeof ALL): Promise<Command> {
  const { stdout, stderr, columns, isTerminal, stderrColumns } = shell.io;
  const program = new Command('relais')
    .description('Send bulk SMS and payments through one unreliable provider, and report the final status of each.')
    .version(ownVersion())
    .configureHelp({ subcommandDescription: lineOf })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => stderrColumns ?? columns,
      getOutHasColors: () => isTerminal,
      getErrHasColors: () => stderrColumns !== undefined,
      // In French the message is printed where it is caught.
      ...(shell.language === 'en' ? {} : { outputError: () => {} }),
    })
    .hook('preAction', (_program, { args, registeredArguments }) => {
      const at = args.indexOf('');
      const { emptyArgument, isItSet } = shell.words.commands.usage;
      // An empty argument would make the list's address: "$UNSET" would show another answer than requested.
      if (at >= 0) throw new WrongUsage(emptyArgument(registeredArguments[at]?.name() ?? ''), { next: isItSet });
    })
    .showHelpAfterError(shell.language === 'en' ? shell.words.shell.showsExample : false)
    .addHelpText('after', shell.words.shell.settings);
  for (const name of new Set([...Object.keys(parts), ...commands.map(firstWord)])) {
    const { says, load }: Part = parts[name] ?? {};
    const own = commands.filter((command) => firstWord(command) === name);
    const isAsked = words === ALL || words[0] === name;
    const isMade = words !== ALL && own.some((command) => command.name === words.slice(0, 2).join(' '));
    if (says === undefined) for (const command of own) addDerived(program, command, shell);
    else {
      const group = program.command(name).description(says);
      for (const command of isAsked ? own : []) addDerived(group, command, shell);
      if (isAsked && !isMade) (await load?.())?.(group, shell);
    }
  }
  return program;
}

/** For callers that read all of them. */
export const ALL = Symbol('all');

interface Part {
  /** Absent: a single command, derived from its route. */
  readonly says?: string;
  /** Commands that are not derived from routes. */
  readonly load?: () => Promise<(command: Command, shell: Shell) => void>;
}

/** In the order of the help. Each is loaded on demand: a version needs neither express nor the sandbox. */
const parts: Readonly<Record<string, Part>> = {
  run: {
    says: 'Run the worker, callback receiver and HTTP API',
    load: async () => (await import('./service.ts')).addRun,
  },
  dev: {
    says: 'Try relais with private servers and a sandbox. It needs no settings; the API key is dev',
    load: async () => (await import('./service.ts')).addDev,
  },
  init: {
    says: 'Write a settings file with new secrets',
    load: async () => (await import('./init.ts')).addInit,
  },
  sandbox: {
    says: 'Run the provider simulator alone. It can simulate faults',
    load: async () => (await import('./service.ts')).addSandbox,
  },
  migrate: {
    says: 'Create or update the database schema',
    load: async () => (await import('./service.ts')).addMigrate,
  },
  doctor: {
    says: 'Check settings, PostgreSQL, Redis, keys and addresses. Each problem is shown with its fix',
    load: async () => (await import('./service.ts')).addDoctor,
  },
  campaign: {
    says: 'Send SMS campaigns to recipients of a file',
    load: async () => (await import('./campaign.ts')).addCampaignCommands,
  },
  'opt-outs': {
    says: 'Manage opt-outs. relais checks them before it sends an SMS',
    load: async () => (await import('./opt-outs.ts')).addOptOutCommands,
  },
  purge: {
    says: 'Erase personal data. Money records stay',
    load: async () => (await import('./purge.ts')).addPurgeCommand,
  },
  disburse: { says: 'Pay beneficiaries', load: async () => (await import('./disburse.ts')).addDisburseCommands },
  messages: {
    says: 'Send single SMS and one-time passwords',
    load: async () => (await import('./messages.ts')).addMessageCommands,
  },
  invoice: {
    says: 'Collect payments by invoice',
    load: async () => (await import('./invoice.ts')).addInvoiceCommands,
  },
  'payment-request': { says: 'Collect payments by link' },
  'direct-credit': { says: 'Credit accounts of the provider' },
  recover: {
    says: 'Recover after a possible data loss. Shows the pending operations, then lets work resume',
    load: async () => (await import('./recover.ts')).addRecoverCommand,
  },
  search: {},
  review: {
    says: 'Review operations that need a decision',
    load: async () => (await import('./review.ts')).addReviewCommands,
  },
  report: { says: 'Report daily totals and recorded balances' },
  reconcile: {
    says: 'Reconcile a statement with succeeded operations. Exit code 1: an entry has no match',
    load: async () => (await import('./reconcile.ts')).addReconcileCommand,
  },
  account: { says: 'Stop and release accounts' },
  limits: {
    says: 'Show and change payment limits',
    load: async () => (await import('./limits.ts')).addLimitCommands,
  },
  keys: { says: 'Manage API keys' },
  audit: {
    says: 'Read and verify the audit log',
    load: async () => (await import('./audit.ts')).addAuditCommands,
  },
  intake: { says: 'Show refused intake jobs' },
  queues: { says: 'Show, pause and resume queues' },
  endpoints: { says: 'Manage webhook endpoints' },
  secrets: { says: 'Manage the secrets stored in PostgreSQL' },
  events: {
    says: 'Read events as JSON lines. Each transition has one event; events come at least once, in order',
    load: async () => (await import('./events.ts')).addEventsCommand,
  },
};

const firstWord = ({ name }: { readonly name: string }): string => name.split(' ')[0] ?? '';

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Output that could not be written is a failure, whatever was done. */
async function concluded(code: number, { output, words }: Shell): Promise<number> {
  if (output.unwritten === undefined) return code;
  await output.note(`${output.styled('red', '✗')} ${words.shell.unwritten(output.unwritten)}`);
  return code === 0 ? 1 : code;
}

async function explain(error: unknown, shell: Shell): Promise<number> {
  const { io, output, words } = shell;
  if (error instanceof NobodyListens) return 0;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const said = shell.language === 'en' ? '' : (await import('./translated.ts')).describeUsage(error, shell);
    if (said !== '') await output.note(`${said}\n${words.shell.showsExample}`);
    return 2;
  }
  if (io.signal.aborted) {
    await output.note(words.shell.stopped);
    return 1;
  }
  if (!(error instanceof CommandFailed)) throw error;
  // The message may quote an untrusted file or a proxy's answer.
  await output.note(`${output.styled('red', '✗')} ${printableLines(error.message)}`);
  if (error.next !== undefined) await output.note(printableLines(error.next));
  return error instanceof WrongUsage ? 2 : 1;
}
