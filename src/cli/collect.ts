/** Invoices, payment requests, direct credits: made, looked at, decided. */
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { paymentRequestRequest } from '../kinds/payment-request.ts';
import { invoiceRequest } from '../kinds/invoice-request.ts';
import { directCreditRequest } from '../kinds/direct-credit.ts';
import { describeXof } from '../lib/money.ts';
import { check } from '../producer/problems.ts';
import type { JsonObject } from './client.ts';
import {
  type CreationFlags,
  addAsk,
  create,
  fieldsOf,
  objectFrom,
  refuseQuestion,
  resolveAsk,
  told,
  withCreationFlags,
} from './asking.ts';
import { withExample, xof } from './flags.ts';
import type { Shell } from './shell.ts';

const INVOICES = '/v1/invoices';
const PAYMENT_REQUESTS = '/v1/payment-requests';
const DIRECT_CREDITS = '/v1/direct-credits';

export function addCollectCommands(program: Command, shell: Shell): void {
  addInvoices(program.command('invoice').description('Collect money on a payment page, or from a wallet'), shell);
  addPaymentRequests(program.command('payment-request').description('Ask somebody to pay, by a link'), shell);
  addDirectCredits(program.command('direct-credit').description('Credit an account of the service'), shell);
}

function problemsIn(schema: z.ZodType, body: JsonObject) {
  return check(schema, body).problems ?? [];
}

interface InvoiceFlags extends CreationFlags {
  readonly amount?: number;
  readonly store?: string;
}

const INVOICE_FIELDS = {
  amount: 'totalAmount',
  description: 'description',
  reference: 'reference',
  account: 'account',
} as const;

function addInvoices(group: Command, shell: Shell): void {
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
      refuseQuestion(file, flags, shell);
      const read = file === undefined ? {} : await objectFrom(file, shell);
      const store = flags.store === undefined ? {} : { store: { ...(read['store'] as object), name: flags.store } };
      const body = { ...read, ...store, ...fieldsOf(flags, INVOICE_FIELDS) };
      const show = (id: string): string => `relais invoice show ${id}`;
      return create({ path: INVOICES, body, problems: problemsIn(invoiceRequest, body), show }, flags, shell);
    }),
  );
  withExample(command, "relais invoice create --amount 15000 --store 'La Boutique' --reference order-1042");
  addShow(group, shell, { path: INVOICES, kind: 'invoice' });
  addConfirm(group, shell, { path: INVOICES, kind: 'invoice' });
  addSoftpay(group, shell, {
    name: 'softpay',
    path: 'softpay',
    description: 'Ask the payer directly and wait for them',
  });
  addSoftpay(group, shell, {
    name: 'softpay-confirm',
    path: 'softpay/confirm',
    description: 'The second step of the methods that have one',
  });
  addAsk(group, shell, resolveAsk('invoice', INVOICES, ['completed', 'cancelled', 'failed']));
}

/** Only from a file or standard input: a payer's codes do not belong into the history of a shell. */
function addSoftpay(
  group: Command,
  shell: Shell,
  { name, path, description }: { readonly name: string; readonly path: string; readonly description: string },
): void {
  const command = group
    .command(name)
    .description(`${description}; what is asked for is read from a file, never from the command line`)
    .argument('<id>')
    .argument('<file>', 'JSON; - reads standard input')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print the answer as JSON')
    .action(
      shell.action(async (id: string, file: string, flags: CreationFlags) => {
        refuseQuestion(file, flags, shell);
        const body = await objectFrom(file, shell);
        if (!(await shell.confirmed(`Ask the payer of ${id}?`, flags.yes))) return 1;
        await told(
          (await shell.api.post(`${INVOICES}/${encodeURIComponent(id)}/${path}`, body)).body,
          flags.json,
          shell,
        );
        return 0;
      }),
    );
  withExample(command, `relais invoice ${name} inv_4n7q0c1w2e3r4t5y6z7a8b9c0d payer.json`);
}

interface Place {
  readonly path: string;
  readonly kind: string;
}

function addShow(group: Command, shell: Shell, { path, kind }: Place): void {
  addAsk(group, shell, {
    name: 'show',
    description: 'What is known about it',
    method: 'GET',
    argument: '<id>',
    path: (id) => `${path}/${id}`,
    example: `relais ${kind} show ID`,
  });
}

function addConfirm(group: Command, shell: Shell, { path, kind }: Place): void {
  addAsk(group, shell, {
    name: 'confirm',
    description: 'Ask the service now how it stands',
    method: 'POST',
    argument: '<id>',
    path: (id) => `${path}/${id}/confirm`,
    example: `relais ${kind} confirm ID`,
  });
}

const PAYMENT_REQUEST_FIELDS = {
  amount: 'amount',
  email: 'email',
  phone: 'phone',
  feesPaidBy: 'feesPaidBy',
  notify: 'notify',
  reference: 'reference',
  account: 'account',
} as const;

function addPaymentRequests(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Make a link by which somebody pays')
    .requiredOption('--amount <xof>', '200 to 3000000 francs', xof)
    .addOption(
      new Option('--fees-paid-by <who>', 'who pays the fees').choices(['customer', 'merchant']).makeOptionMandatory(),
    )
    .option('--phone <number>', 'of the payer, in international form')
    .option('--email <address>', 'of the payer')
    .option('--notify', 'the service sends it; nobody can ask afterwards how it ends')
    .option('--reference <text>', 'your own name for it: the same one never makes a second')
    .option('--account <name>', 'account that collects');
  withCreationFlags(command).action(
    shell.action((flags: CreationFlags) => {
      const body = fieldsOf(flags, PAYMENT_REQUEST_FIELDS);
      const show = (id: string): string => `relais payment-request show ${id}`;
      const problems = problemsIn(paymentRequestRequest, body);
      return create({ path: PAYMENT_REQUESTS, body, problems, show }, flags, shell);
    }),
  );
  withExample(
    command,
    'relais payment-request create --amount 5000 --phone +221771234567 --fees-paid-by merchant --reference r-1',
  );
  addShow(group, shell, { path: PAYMENT_REQUESTS, kind: 'payment-request' });
  addConfirm(group, shell, { path: PAYMENT_REQUESTS, kind: 'payment-request' });
  addAsk(group, shell, resolveAsk('payment-request', PAYMENT_REQUESTS, ['completed', 'failed']));
}

interface CreditFlags extends CreationFlags {
  readonly to: string;
  readonly amount: number;
}

const CREDIT_FIELDS = {
  to: 'accountAlias',
  amount: 'amount',
  reference: 'reference',
  account: 'account',
  allowDuplicate: 'allowDuplicate',
} as const;

function addDirectCredits(group: Command, shell: Shell): void {
  const command = group
    .command('create')
    .description('Credit an account of the service in one step, at most once per reference (DIRECT_CREDIT)')
    .requiredOption('--to <alias>', 'the account of the service')
    .requiredOption('--amount <xof>', 'whole francs', xof)
    .option('--reference <text>', 'your own name for it: the same one never pays twice')
    .option('--account <name>', 'account that pays')
    .option('--allow-duplicate', 'the same amount to the same account again is meant');
  withCreationFlags(command).action(
    shell.action((flags: CreditFlags) => {
      const body = fieldsOf(flags, CREDIT_FIELDS);
      const show = (id: string): string => `relais direct-credit show ${id}`;
      const question = `Pay ${describeXof(flags.amount)} to ${flags.to}?`;
      const problems = problemsIn(directCreditRequest, body);
      return create({ path: DIRECT_CREDITS, body, problems, question, show }, flags, shell);
    }),
  );
  withExample(command, 'relais direct-credit create --to 771234567 --amount 10000 --reference bonus-7');
  addShow(group, shell, { path: DIRECT_CREDITS, kind: 'direct-credit' });
  addAsk(group, shell, resolveAsk('direct-credit', DIRECT_CREDITS, ['succeeded', 'failed']));
}
