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

/** Those that read a file; others are derived from routes. */
export function addInvoiceCommands(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Create an invoice with a payment page. Flags override the values of the file')
    .argument('[file]', 'JSON with items, customer, channels …; - reads standard input')
    .option('--amount <xof>', 'amount of the invoice in whole francs (XOF)', xof)
    .option('--store <name>', 'name of the store that bills')
    .option('--description <text>', 'description shown to the payer')
    .option('--reference <text>', 'your own reference: the same reference never creates a second operation')
    .option('--account <name>', 'account that receives the payment');
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
    'Request direct payment of an invoice. relais reads the codes of the payer from a file only',
  ]);
  addSoftpay(group, shell, [
    'softpay-confirm',
    'softpay/confirm',
    'Confirm a direct payment of an invoice. For methods with two steps; relais reads the code from a file only',
  ]);
}

type Step = readonly [name: string, path: string, description: string];

/** Only from a file or standard input: a payer's codes must not enter the shell history. */
function addSoftpay(group: Command, shell: Shell, [name, path, description]: Step): void {
  const command = group
    .command(name)
    .description(description)
    .argument('<id>')
    .argument('<file>', 'JSON; - reads standard input')
    .option('--yes', 'ask no questions on a terminal')
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
