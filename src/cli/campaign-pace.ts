import { type Command } from 'commander';
import type { JsonObject } from './client.ts';
import { WrongUsage } from './failure.ts';
import { atLeastOne, withExample, wrongValue } from './flags.ts';
import type { Shell } from './shell.ts';

/** The API's null: no limit. */
const OFF = 'off';

/** The API's names: they are passed on unchanged. */
interface PaceFlags {
  readonly perSecond?: number | typeof OFF;
  readonly quietHours?: boolean | string;
  readonly timezone?: string;
  readonly pauseOnFailure?: number | false;
}

export interface FirstPaceFlags extends PaceFlags {
  readonly sendAt?: string;
  readonly canary?: number | false;
  readonly requireSender?: true;
}

/** Options that are allowed only at the creation of a campaign. */
export function withFirstPace(command: Command): Command {
  return withPace(command)
    .option('--send-at <time>', 'once started, wait for this time, such as 2026-11-21T08:00:00Z')
    .option(
      '--canary <n>',
      'number of recipients to send to first, as a canary (default: 50 above 1,000)',
      atLeastOne,
    )
    .option('--no-canary', 'send to all recipients at once, without a canary')
    .option('--require-sender', 'stop as soon as an SMS is sent under another sender ID');
}

function withPace(command: Command): Command {
  return command
    .option('--per-second <n>', 'maximum recipients per second; off removes the limit', perSecond)
    .option(
      '--quiet-hours [hours]',
      'send nothing during hours such as 21:00-08:00; without hours: QUIET_HOURS, the default of a new campaign',
    )
    .option('--no-quiet-hours', 'send at any hour')
    .option('--timezone <name>', 'time zone of the quiet hours, such as Africa/Abidjan')
    .option(
      '--pause-on-failure <percent>',
      'stop when this many of the last 200 recipients failed or are in doubt (default: 50)',
      percent,
    )
    .option('--no-pause-on-failure', 'continue after any number of failures');
}

function perSecond(text: string): number | typeof OFF {
  return text === OFF ? OFF : atLeastOne(text);
}

function percent(text: string): number {
  const number = atLeastOne(text);
  if (number > 100) throw wrongValue('percent', {});
  return number;
}

/** A new campaign has no limit to remove. */
export function withoutOff<T extends PaceFlags>(flags: T): T {
  const { perSecond: given, ...rest } = flags;
  return given === OFF ? (rest as T) : flags;
}

function toApi(changes: PaceFlags): JsonObject {
  return changes.perSecond === OFF ? { ...changes, perSecond: null } : { ...changes };
}

interface Printing {
  readonly print: (body: JsonObject, json: true | undefined, shell: Shell) => Promise<void>;
}

/** Changes how a running campaign is sent. */
export function addPace(group: Command, shell: Shell, { print }: Printing): void {
  const command = withPace(
    group
      .command('pace')
      .description('Change the pace or hours of a campaign. The change applies from the next request on')
      .argument('<id>'),
  )
    .option('--json', 'print the campaign as JSON')
    .action(
      shell.action(async (id: string, { json, ...changes }: PaceFlags & { readonly json?: true }) => {
        if (Object.keys(changes).length === 0) {
          throw new WrongUsage(shell.words.commands.usage.nothingToChange, {
            next: `relais campaign pace ${id} --per-second 20`,
          });
        }
        const path = `/v1/campaigns/${encodeURIComponent(id)}`;
        await print((await shell.api.send('PATCH', path, toApi(changes))).body, json, shell);
        return 0;
      }),
    );
  withExample(command, 'relais campaign pace cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d --per-second 20');
}
