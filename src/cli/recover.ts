/** What an operator does after Redis was put back from a copy, or has lost something by itself. */
import { type Command, Option } from 'commander';
import type { JsonObject } from './client.ts';
import type { ExitCode } from './io.ts';
import { itemsOf } from './record.ts';
import { grouped, printable } from './output.ts';
import type { Shell } from './shell.ts';

interface RecoverFlags {
  readonly apply?: true;
  readonly nothingWasLost?: true;
  readonly newStamp?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** The service is asked about so many of each kind before anything is decided. */
const ASKED = 50;

const HELP = `
What happened: relais was not at work for a long time, or Redis knows less than somebody remembers (a copy was put back,
a replica that was behind took over). Until a person has looked, nothing is accepted and nothing leaves.

Example:
  relais recover                       what is open, what the service says about it, what would be done
  relais recover --apply               settle what is proven, give the rest to a person, begin again
  relais recover --nothing-was-lost    it was only a long stop: go on as before
  relais recover --new-stamp           SERVICE_BASE_URL and SERVICE_CRM_URL are the new addresses of the same service`;

export function addRecoverCommand(command: Command, shell: Shell): void {
  command
    .addOption(
      new Option('--apply', 'lead on all that is open, so that nothing is done twice').conflicts([
        'nothingWasLost',
        'newStamp',
      ]),
    )
    .addOption(
      new Option(
        '--nothing-was-lost',
        'confirm that it was only a long stop; refused where it is known better',
      ).conflicts('newStamp'),
    )
    .option(
      '--new-stamp',
      'the service has moved: accept its new addresses, on Redis itself, with the settings of a process',
    )
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the answer as JSON')
    .action(shell.action((flags: RecoverFlags) => recover(flags, shell)))
    .addHelpText('after', HELP);
}

async function recover(flags: RecoverFlags, shell: Shell): Promise<number> {
  const { apply, nothingWasLost, newStamp, json } = flags;
  if (newStamp) return acceptAddresses(shell, flags);
  if (apply) return applyAll(shell, flags);
  if (nothingWasLost) return confirm(shell, flags);
  const { body } = await shell.api.get('/v1/recovery', { ask: ASKED });
  if (json) await shell.output.json(body);
  else await show(body, shell);
  return 0;
}

/**
 * A process with another address of the service does not start, so none can be asked over HTTP to accept it: this works
 * on Redis itself, with the settings of that process.
 */
async function acceptAddresses(shell: Shell, { yes }: RecoverFlags): Promise<number> {
  return shell.io.services.newStamp({
    confirmed: (differs) => shell.confirmed(`${differs} Is it the same service that has moved?`, yes),
  });
}

async function confirm(shell: Shell, { yes, json }: RecoverFlags): Promise<ExitCode> {
  const question = 'Was nothing restored, replaced or lost, so that all that is open may go on?';
  if (!(await shell.confirmed(question, yes))) return 1;
  const { body } = await shell.api.post('/v1/recovery', { nothingWasLost: true });
  if (json) await shell.output.json(body);
  else await shell.output.note('It goes on as before.');
  return 0;
}

/** Request by request, each a bounded turn; broken off, the same command goes on where it was. */
async function applyAll(shell: Shell, { yes, json }: RecoverFlags): Promise<ExitCode> {
  const question = 'Lead on all that is open? Texts are not sent and money is not paid on the strength of this copy.';
  if (!(await shell.confirmed(question, yes))) return 1;
  for (;;) {
    const { body } = await shell.api.post('/v1/recovery', { apply: true });
    if (body['over'] === true) {
      if (json) await shell.output.json(body);
      else await showReport(objectIn(body, 'last'), shell);
      return 0;
    }
    const { done, of } = objectIn(body, 'progress') ?? {};
    if (shell.io.isTerminal && !json) await shell.output.note(`${grouped(Number(done))} of ${grouped(Number(of))}`);
  }
}

const WOULD: Readonly<Record<string, string>> = {
  review: 'to a person',
  ask: 'asked about, else to a person',
  hold: 'held until resumed',
  doubt: 'looked up, not sent again',
  look: 'looked at as ever',
  nothing: 'stays',
};

async function show(body: JsonObject, { output }: Shell): Promise<void> {
  if (body['state'] !== 'recovering') {
    await output.note('No recovery is under way.');
    return;
  }
  const { because, since, lastBeat, proven } = body;
  await output.facts([
    ['state', body['state']],
    ['because', because],
    ['since', since],
    ['last at work', lastBeat],
    ['something was lost', proven === true ? 'yes' : 'not proven'],
  ]);
  const open = itemsOf(body, 'open').map((item) => ({
    ...item,
    count: grouped(Number(item['count'])),
    XOF: item['xof'] === undefined ? '' : grouped(Number(item['xof'])),
    'what --apply does': WOULD[String(item['would'])] ?? item['would'],
  }));
  await output.write(`\n${output.renderTable(['kind', 'state', 'count', 'XOF', 'what --apply does'], open)}`);
  for (const { kind, asked, words } of itemsOf(body, 'says')) {
    const told = Object.entries(words as Readonly<Record<string, number>>).map(([word, times]) => `${times} ${word}`);
    await output.line(`The service says about ${String(asked)} of ${printable(kind)}: ${told.join(', ')}`);
  }
  await output.note(`What to do: relais recover --apply, or relais recover --nothing-was-lost. What was done since then
the service alone knows; docs/runbook.md says how to go on.`);
}

const COLUMNS = ['kind', 'open', 'settled', 'needsReview', 'underWay', 'held', 'XOF'] as const;

async function showReport(report: JsonObject | undefined, { output }: Shell): Promise<void> {
  if (report === undefined) {
    await output.note('No recovery is under way.');
    return;
  }
  const rows = itemsOf(report, 'items').map((row) => ({
    kind: row['kind'],
    ...Object.fromEntries(COLUMNS.slice(1, -1).map((name) => [name, grouped(countIn(row, name))])),
    XOF: grouped(Number(objectIn(row, 'open')?.['xof'] ?? 0)),
  }));
  await output.write(output.renderTable(COLUMNS, rows));
  const next = report['next'];
  for (const sentence of Array.isArray(next) ? next : []) await output.note(printable(sentence));
}

function countIn(row: JsonObject, name: string): number {
  return Number(objectIn(row, name)?.['count'] ?? 0);
}

function objectIn(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
