import { type Command, InvalidArgumentError } from 'commander';
import { queueNames } from '../queues/index.ts';
import { type FaultName, faultNames } from '../sandbox/fault-table.ts';
import { durationMs, listOf, wholeNumber, withExample } from './flags.ts';
import { type Role, roles, type SandboxCommand } from './io.ts';
import type { Shell } from './shell.ts';

/** The commands that run until they are stopped. */
export function addServiceCommands(program: Command, shell: Shell): void {
  const { services } = shell.io;
  const run = program
    .command('run')
    .description('Run relais: carry out what was asked, hear callbacks, answer the HTTP API')
    .option('--roles <roles>', `what this process does, of ${roles.join(',')}`, listOf(roles), roles)
    .option('--queues <names>', `only these queues, of ${queueNames.join(',')}`, listOf(queueNames))
    .action(shell.action((options: RunFlags) => services.run(options)));
  withExample(run, 'relais run --roles worker --queues sms-batch,sms-otp');

  const dev = program
    .command('dev')
    .description('Try relais: its own Redis, the sandbox and all roles, with nothing to configure (API key: dev)')
    .action(shell.action(() => services.dev()));
  withExample(dev, 'relais dev');

  addSandbox(program, shell);

  addBackup(program, shell);

  const { doctor } = services;
  if (doctor === undefined) return;
  const examine = program
    .command('doctor')
    .description('Check settings, Redis, keys and addresses, and say how to mend what is wrong')
    .option('--json', 'print the findings as JSON')
    .action(shell.action(({ json }: { readonly json?: true }) => doctor({ json: json ?? false })));
  withExample(examine, 'relais doctor');
}

function addBackup(program: Command, shell: Shell): void {
  const { verifyBackup } = shell.io.services;
  if (verifyBackup === undefined) return;
  const verify = program
    .command('backup')
    .description('Copies of the folder of Redis')
    .command('verify')
    .description('Load a copy into a private Redis, count what is in it, and compare with what runs')
    .argument('<dir>', 'folder with appendonlydir or dump.rdb; it is only read')
    .option('--json', 'print the findings as JSON')
    .action(
      shell.action((dir: string, { json }: { readonly json?: true }) => verifyBackup({ dir, json: json ?? false })),
    );
  withExample(verify, 'relais backup verify /backups/redis-2026-11-21');
}

interface RunFlags {
  readonly roles: readonly Role[];
  readonly queues?: readonly string[];
}

type FaultFlag = SandboxCommand['faults'][number];

function addSandbox(program: Command, shell: Shell): void {
  const sandbox = program
    .command('sandbox')
    .description('Run the double of the service alone, faithful or misbehaving')
    .option<readonly FaultFlag[]>(
      '--fault <sentence:probability>',
      'a way to misbehave; may be repeated',
      readFault,
      [],
    )
    .option('--latency <duration>', 'every answer waits this long', durationMs)
    .option('--seed <number>', 'replay the choices of the faults', wholeNumber)
    .option('--books <file>', 'keep the books in a file, and go on with what is in it')
    .addHelpText('after', () => `\nFaults:\n${faultNames.map((name) => `  ${name}`).join('\n')}`)
    .action(
      shell.action(({ fault, latency, seed, books }: SandboxFlags) =>
        shell.io.services.sandbox({
          faults: fault,
          ...(latency !== undefined && { latencyMs: latency }),
          ...(seed !== undefined && { seed }),
          ...(books !== undefined && { books }),
        }),
      ),
    );
  withExample(sandbox, 'relais sandbox --latency 20ms --fault "hangs after doing the work:0.1"');
}

interface SandboxFlags {
  readonly fault: readonly FaultFlag[];
  readonly latency?: number;
  readonly seed?: number;
  readonly books?: string;
}

/** `calls back twice:0.5`; without a probability it strikes always. */
function readFault(text: string, earlier: readonly FaultFlag[]): readonly FaultFlag[] {
  const [, sentence = '', chance] = /^(.*?)(?::([\d.]+))?$/s.exec(text) ?? [];
  const probability = chance === undefined ? 1 : Number(chance);
  if (!faultNames.includes(sentence.trim() as FaultName)) {
    throw new InvalidArgumentError(`"${sentence}" is no fault. \`relais sandbox --help\` lists them.`);
  }
  if (!(probability >= 0 && probability <= 1)) throw new InvalidArgumentError('A probability is between 0 and 1.');
  return [...earlier, { fault: sentence.trim(), probability }];
}
