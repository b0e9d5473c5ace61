import type { Command } from 'commander';
import type { JsonObject } from './client.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import type { Shell } from './shell.ts';

export function addAccountCommands(program: Command, shell: Shell): void {
  const group = program
    .command('account')
    .description('What an account waits for, and the switch that stops its money');
  addList(group, shell);
  addStop(group, shell);
  addRelease(group, shell);
}

function addList(group: Command, shell: Shell): void {
  const command = group
    .command('list')
    .description('Every account, what it is held for and since when')
    .option('--json', 'print them as JSON')
    .action(shell.action((flags: { readonly json?: true }) => list(flags, shell)));
  withExample(command, 'relais account list');
}

async function list({ json }: { readonly json?: true }, { api, output }: Shell): Promise<ExitCode> {
  const { body } = await api.get('/v1/accounts');
  if (json) {
    await output.json(body);
    return 0;
  }
  const items = (Array.isArray(body['items']) ? body['items'] : []) as readonly JsonObject[];
  const rows = items.flatMap(rowsOf);
  await output.write(output.renderTable(COLUMNS, rows));
  const [held] = rows.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  if (held !== undefined) await output.note(`What a reason means: relais explain ${held}`);
  return 0;
}

const COLUMNS = ['account', 'area', 'state', 'reason', 'since'] as const;

interface HoldRow {
  readonly [column: string]: string | undefined;
  readonly account: string;
  readonly state: string;
  readonly reason?: string;
}

/** One line a hold; an account that is held for nothing has one too. */
function rowsOf({ name, held }: JsonObject): readonly HoldRow[] {
  const account = String(name);
  const holds = (Array.isArray(held) ? held : []) as readonly JsonObject[];
  if (holds.length === 0) return [{ account, state: 'open' }];
  return holds.map(({ area, reason, since }) => ({
    account,
    state: 'held',
    area: String(area),
    reason: String(reason),
    since: String(since),
  }));
}

interface SwitchFlags {
  readonly yes?: true;
  readonly json?: true;
}

function addStop(group: Command, shell: Shell): void {
  const command = group
    .command('stop')
    .description('Send no more money of this account until it is released; what was submitted is still looked at')
    .argument('<name>')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the account as JSON')
    .action(
      shell.action(async (name: string, { yes, json }: SwitchFlags) => {
        if (!(await shell.confirmed(`Stop all disbursements of the account ${name}?`, yes))) return 1;
        await turn(name, 'stop', json, shell);
        if (!json) await shell.output.note(`To let it go on: relais account release ${name}`);
        return 0;
      }),
    );
  withExample(command, 'relais account stop main');
}

function addRelease(group: Command, shell: Shell): void {
  const command = group
    .command('release')
    .description('Let an account go on, whatever it was held for; it is held again if the cause has not cleared')
    .argument('<name>')
    .option('--json', 'print the account as JSON')
    .action(
      shell.action(async (name: string, { json }: SwitchFlags) => {
        await turn(name, 'release', json, shell);
        return 0;
      }),
    );
  withExample(command, 'relais account release main');
}

async function turn(
  name: string,
  how: 'stop' | 'release',
  json: true | undefined,
  { api, output }: Shell,
): Promise<void> {
  const { body } = await api.post(`/v1/accounts/${encodeURIComponent(name)}/${how}`);
  await (json ? output.json(body) : output.write(output.renderTable(COLUMNS, rowsOf(body))));
}
