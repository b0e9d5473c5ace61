import { type Command } from 'commander';
import { queueNames } from '../queues/index.ts';
import { faultNames, faultTable } from '../sandbox/fault-table.ts';
import { canStrike, needsCode } from '../sandbox/faults.ts';
import { durationMs, listOf, wholeNumber, withExample, wrongValue } from './flags.ts';
import { type Role, roles, type SandboxCommand } from './io.ts';
import type { Shell } from './shell.ts';

export function addRun(command: Command, shell: Shell): void {
  command
    .option('--roles <roles>', `roles of this process, of ${roles.join(',')}`, listOf(roles), roles)
    .option('--queues <names>', `only these queues, of ${queueNames.join(',')}`, listOf(queueNames))
    .action(shell.action((options: RunFlags) => shell.io.services.run(options)));
  withExample(command, 'relais run --roles worker --queues sms-batch,sms-otp');
}

export function addDev(command: Command, shell: Shell): void {
  command.action(shell.action(() => shell.io.services.dev()));
  withExample(command, 'relais dev');
}

export function addMigrate(command: Command, shell: Shell): void {
  command
    .option('--dry-run', 'show the missing migrations and change nothing')
    .option('--roles', 'also create the PostgreSQL roles of the schema; with --dry-run, print their SQL instead')
    .option('--json', 'print the migrations as JSON')
    .action(
      shell.action(({ dryRun = false, roles: withRoles = false, json = false }: MigrateFlags) =>
        shell.io.services.migrate({ dryRun, roles: withRoles, json, words: shell.words.commands.migrate }),
      ),
    );
  withExample(command, 'relais migrate --dry-run');
}

export function addDoctor(command: Command, shell: Shell): void {
  command
    .option('--roles <roles>', `roles of this process, of ${roles.join(',')}`, listOf(roles), roles)
    .option('--json', 'print the findings as JSON')
    .action(
      shell.action(({ json = false, roles: asked }: DoctorFlags) =>
        shell.io.services.doctor({ json, roles: asked, language: shell.language }),
      ),
    );
  withExample(command, 'relais doctor --roles worker');
}

interface JsonFlag {
  readonly json?: boolean;
}

interface MigrateFlags extends JsonFlag {
  readonly dryRun?: boolean;
  readonly roles?: boolean;
}

interface DoctorFlags extends JsonFlag {
  readonly roles: readonly Role[];
}

interface RunFlags {
  readonly roles: readonly Role[];
  readonly queues?: readonly string[];
}

type FaultFlag = SandboxCommand['faults'][number];

export function addSandbox(command: Command, shell: Shell): void {
  command
    .option<readonly FaultFlag[]>(
      '--fault <sentence:probability>',
      'a fault to simulate; can be repeated',
      readFault,
      [],
    )
    .option('--latency <duration>', 'delay of every answer', durationMs)
    .option('--seed <number>', 'seed that repeats the random choices of the faults', wholeNumber)
    .option('--books <file>', 'store the records in a file, and resume with its content')
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
  withExample(command, 'relais sandbox --latency 20ms --fault "hangs after doing the work:0.1"');
}

interface SandboxFlags {
  readonly fault: readonly FaultFlag[];
  readonly latency?: number;
  readonly seed?: number;
  readonly books?: string;
}

/** `answers empty@sms:0.5`: a fault, its operation or family, and a probability. */
function readFault(text: string, earlier: readonly FaultFlag[]): readonly FaultFlag[] {
  const match = /^(.*?)(?:@([\w.*-]+))?(?::([\d.]+))?$/s.exec(text.trim());
  const [, name = '', operation, chance = '1'] = match ?? [];
  const fault = faultNames.find((known) => known === name);
  const probability = Number(chance);
  if (fault === undefined) throw wrongValue('fault', { name });
  if (needsCode(fault)) throw wrongValue('faultCode', {});
  if (!(probability >= 0 && probability <= 1)) throw wrongValue('probability', {});
  if (operation === undefined) return [...earlier, { fault, probability }];
  if (!canStrike(fault, operation))
    throw wrongValue('unknown', { wrong: operation, known: faultTable[fault].on.join(', ') });
  return [...earlier, { fault, operation, probability }];
}
