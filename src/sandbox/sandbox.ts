import { type Clock, systemClock } from '../lib/clock.ts';
import { seededRandom, systemRandom } from '../lib/random.ts';
import type { Answer } from './answers.ts';
import { Books } from './books.ts';
import { BooksKeeper, readBooks } from './books-file.ts';
import { Postman, type Credentials, TokenBook, type World } from './world.ts';
import { waitForPayer } from './checkout.ts';
import { control } from './control.ts';
import { waitFor } from './disbursement-submit.ts';
import { type FaultOrder, Faults } from './faults.ts';
import { Listener } from './listener.ts';
import { awaitCustomer } from './payment-requests.ts';
import { serve } from './serve.ts';
import { type SettingPatch, Settings } from './settings.ts';
import { SandboxTime } from './time.ts';

export interface SandboxOptions {
  /** 0 (the default) picks a free port. */
  readonly ports?: { readonly base?: number; readonly crm?: number; readonly control?: number };
  readonly host?: string;
  readonly clock?: Clock;
  /** Replays its tokens and ids. Over books that are kept each start draws others: two payments have never one token. */
  readonly seed?: number;
  readonly credentials?: Partial<Credentials>;
  /** Gives the names of the headers with the keys: SERVICE-MASTER-KEY and so on. */
  readonly headerPrefix?: string;
  /** Anything of docs/sandbox.md's settings: `latencyMs`, `balances`, `tokenSingleUse`… */
  readonly settings?: SettingPatch;
  /** Faults that stand from the start, and again after a reset. */
  readonly faults?: readonly FaultOrder[];
  /** A file that knows what it did, also after it is started again. Absent: the books end with the process. */
  readonly books?: string;
  /** Told when the file of the books cannot be written any more. */
  readonly onBooksLost?: (thrown: unknown) => void;
  /** One line per request: `disbursement.create 200 "00"`. No keys, numbers or texts. */
  readonly onLine?: (line: string) => void;
}

export interface Sandbox {
  /** Addresses without a slash at the end: the payment host, the messaging host, the control API. */
  readonly base: string;
  readonly crm: string;
  readonly control: string;
  /** Resolves when the file of the books, if there is one, says what the books say now. */
  kept(): Promise<void>;
  stop(): Promise<void>;
}

export const defaultCredentials: Credentials = {
  masterKey: 'sandbox-master',
  privateKey: 'sandbox-private',
  token: 'sandbox-token',
  smsUserKey: 'sandbox-user',
  smsSecretKey: 'sandbox-secret',
  smsAppKey: 'sandbox-app',
  smsSender: 'RELAIS',
};

/** Starts the double of the service: two hosts and a control API. Resolves when all three listen. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { ports = {}, host = '127.0.0.1', faults = [] } = options;
  const world = makeWorld(options);
  for (const order of faults) world.faults.add(order);
  const keeper = await bookkeeping(world, options);

  const heard = (operation: string, answer: Answer | undefined) => options.onLine?.(line(operation, answer));
  const base = new Listener(serve('base', world, heard), { host, port: ports.base ?? 0, setting: 'SANDBOX_PORT' });
  const crm = new Listener(serve('crm', world, heard), { host, port: ports.crm ?? 0, setting: 'SANDBOX_CRM_PORT' });
  const applyFaults = async (): Promise<void> => {
    await Promise.all([base.set(!world.faults.closes('base')), crm.set(!world.faults.closes('crm'))]);
  };
  const reset = async (): Promise<void> => {
    empty(world);
    for (const order of faults) world.faults.add(order);
    await applyFaults();
  };
  const controller = new Listener(control({ world, reset, applyFaults }), {
    host,
    port: ports.control ?? 0,
    setting: 'SANDBOX_CONTROL_PORT',
  });
  const close = async (): Promise<void> => {
    world.time.rest();
    await Promise.all([base.set(false), crm.set(false), controller.set(false), world.postman.stop()]);
  };
  const stop = async (): Promise<void> => {
    await close();
    await keeper?.end();
  };

  try {
    // Each opens once whatever the faults say: a closed door must have a port to be closed on.
    for (const listener of [base, crm, controller]) await listener.set(true);
    await applyFaults();
  } catch (thrown) {
    // The file may belong to the sandbox that has these ports: it is not written.
    keeper?.rest();
    await close();
    throw thrown;
  }
  world.base = base.url;
  goOn(world);
  return {
    base: base.url,
    crm: crm.url,
    control: controller.url,
    kept: () => keeper?.keep() ?? Promise.resolve(),
    stop,
  };
}

async function bookkeeping(
  world: World,
  {
    books: path,
    seed,
    clock = systemClock,
    onBooksLost = (thrown) => {
      throw thrown;
    },
  }: SandboxOptions,
): Promise<BooksKeeper | undefined> {
  if (path === undefined) return undefined;
  await readBooks(path, world);
  if (seed !== undefined) world.random = seededRandom(seed + world.starts);
  return new BooksKeeper({ path, world, clock, onLost: onBooksLost });
}

/** What was to come when it was stopped comes after all. */
function goOn(world: World): void {
  const { disbursements, invoices, paymentRequests } = world.books;
  for (const record of disbursements.values()) for (const coming of record.coming) waitFor(record, coming, world);
  for (const invoice of invoices.values()) for (const coming of invoice.coming) waitForPayer(invoice, coming, world);
  for (const request of paymentRequests.values()) if (request.status === 'pending') awaitCustomer(request, world);
}

function makeWorld({
  clock = systemClock,
  seed,
  credentials,
  headerPrefix = 'SERVICE',
  settings = {},
}: SandboxOptions): World {
  return {
    time: new SandboxTime(clock),
    random: seed === undefined ? systemRandom : seededRandom(seed),
    starts: 0,
    revision: 0,
    settings: new Settings(settings),
    faults: new Faults(),
    headerPrefix: headerPrefix.toLowerCase(),
    credentials: { ...defaultCredentials, ...credentials },
    postman: new Postman(),
    tokens: new TokenBook(),
    books: new Books(),
    disburseIds: new Map(),
    base: '',
  };
}

function empty(world: World): void {
  world.time.reset();
  world.settings.reset();
  world.faults.clear();
  world.tokens.clear();
  world.disburseIds.clear();
  world.books = new Books();
  world.revision += 1;
}

function line(operation: string, answer: Answer | undefined): string {
  if (answer === undefined) return `${operation} fault`;
  const body: Readonly<Record<string, unknown>> = { ...answer.body };
  const code = body['response_code'] ?? body['response-code'] ?? body['code'] ?? body['success'];
  return `${operation} ${answer.status} ${JSON.stringify(code) ?? ''}`.trimEnd();
}
