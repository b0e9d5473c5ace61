import type { Command } from 'commander';
import { type CreationFlags, fieldsOf, make, objectFrom, refuseQuestion, withCreationFlags } from './asking.ts';
import { withExample, xof } from './flags.ts';
import { renderRecord } from './record.ts';
import type { Shell } from './shell.ts';

const INVOICES = '/v1/invoices';

interface InvoiceFlags extends CreationFlags {
  readonly store?: string;
}

const FIELDS = {
  amount: 'totalAmount',
  description: 'description',
  reference: 'reference',
  account: 'account',
} as const;

/** Those that read a file; the others are made from the routes. */
export function addInvoiceCommands(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Make a payment page; the flags go before what the file says')
    .argument('[file]', 'JSON with items, customer, channels …; - reads standard input')
    .option('--amount <xof>', 'what is billed, in whole francs', xof)
    .option('--store <name>', 'who bills')
    .option('--description <text>', 'shown to the payer')
    .option('--reference <text>', 'your own name for it: the same one never makes a second')
    .option('--account <name>', 'account that collects');
  withCreationFlags(command).action(
    shell.action(async (file: string | undefined, flags: InvoiceFlags) => {
      const read = file === undefined ? {} : await objectFrom(file, shell);
      const store = flags.store === undefined ? {} : { store: { ...(read['store'] as object), name: flags.store } };
      const body = { ...read, ...store, ...fieldsOf(flags, FIELDS) };
      const next = (id: string): string => shell.words.commands.goesOn(`relais invoice show ${id}`);
      return make({ path: INVOICES, body, next }, flags, shell);
    }),
  );
  withExample(command, "relais invoice create --amount 15000 --store 'La Boutique' --reference order-1042");
  addSoftpay(group, shell, [
    'softpay',
    'softpay',
    'Ask the payer directly and wait for them; what is asked for is read from a file, never from the command line',
  ]);
  addSoftpay(group, shell, [
    'softpay-confirm',
    'softpay/confirm',
    'The second step of the methods that have one; what is asked for is read from a file, never from the command line',
  ]);
}

type Step = readonly [name: string, path: string, description: string];

/** Only from a file or standard input: a payer's codes do not belong into the history of a shell. */
function addSoftpay(group: Command, shell: Shell, [name, path, description]: Step): void {
  const command = group
    .command(name)
    .description(description)
    .argument('<id>')
    .argument('<file>', 'JSON; - reads standard input')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the answer as JSON')
    .action(
      shell.action(async (id: string, file: string, flags: CreationFlags) => {
        refuseQuestion(file, flags, shell);
        const asked = await objectFrom(file, shell);
        if (!(await shell.confirmed(shell.words.commands.askPayer(id), flags.yes))) return 1;
        const { body } = await shell.api.post(`${INVOICES}/${encodeURIComponent(id)}/${path}`, asked);
        await (flags.json ? shell.output.json(body) : shell.output.write(renderRecord(body, shell.output)));
        return 0;
      }),
    );
  withExample(command, `relais invoice ${name} inv_4n7q0c1w2e3r4t5y6z7a8b9c0d payer.json`);
}
