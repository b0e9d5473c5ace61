import { type Clock, systemClock } from '../lib/clock.ts';
import { seededRandom, systemRandom } from '../lib/random.ts';
import type { Answer } from './answers.ts';
import { Callbacks } from './callbacks.ts';
import { resumeInvoice } from './checkout.ts';
import { controlApi } from './control.ts';
import { resumeDisbursement } from './disbursements.ts';
import { type FaultOrder, Faults } from './faults.ts';
import { Listener } from './listener.ts';
import { awaitCustomer } from './payment-requests.ts';
import { Records } from './records.ts';
import { RecordsWriter, readRecords } from './records-file.ts';
import { serve } from './server.ts';
import { type SettingPatch, Settings } from './settings.ts';
import type { Credentials, Simulator } from './simulator.ts';
import { BearerTokens } from './sms-login.ts';
import { SandboxTime } from './time.ts';

export interface SandboxOptions {
  /** 0 (the default) picks a free port. */
  readonly ports?: { readonly base?: number; readonly crm?: number; readonly control?: number };
  readonly host?: string;
  readonly clock?: Clock;
  /** Repeats its tokens and ids. With a file of records each start draws others: no token is used twice. */
  readonly seed?: number;
  /** Prefix of the key headers: SERVICE-MASTER-KEY and so on. */
  readonly headerPrefix?: string;
  /** Settings of docs/sandbox-reference.md: `latencyMs`, `balances`, `tokenSingleUse`… */
  readonly settings?: SettingPatch;
  /** Faults active from the start, and again after a reset. */
  readonly faults?: readonly FaultOrder[];
  /** A file that stores the records for the next start. Absent: the records end with the process. */
  readonly books?: string;
  /** Called when the file can no longer be written. */
  readonly onBooksLost?: (thrown: unknown) => void;
  /** One line per request: `disbursement.create 200 "00"`. No keys, numbers or texts. */
  readonly onLine?: (line: string) => void;
}

export interface Sandbox {
  /** Addresses without a slash at the end: the payment host, the messaging host, the control API. */
  readonly base: string;
  readonly crm: string;
  readonly control: string;
  /** Resolves when the file of the records, if there is one, contains the current records. */
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

/** Starts the simulator of the provider: two hosts and a control API. Resolves when all three listen. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { ports = {}, host = '127.0.0.1', faults = [] } = options;
  const simulator = createSimulator(options);
  for (const order of faults) simulator.faults.add(order);
  const writer = await openRecords(simulator, options);

  const onAnswer = (operation: string, answer: Answer | undefined) => options.onLine?.(line(operation, answer));
  const listen = (handle: ReturnType<typeof serve>, port: number | undefined, setting: string) =>
    new Listener(handle, { host, port: port ?? 0, setting });
  const base = listen(serve('base', simulator, onAnswer), ports.base, 'SANDBOX_PORT');
  const crm = listen(serve('crm', simulator, onAnswer), ports.crm, 'SANDBOX_CRM_PORT');
  const applyFaults = async (): Promise<void> => {
    await Promise.all([base.set(!simulator.faults.closes('base')), crm.set(!simulator.faults.closes('crm'))]);
  };
  const reset = async (): Promise<void> => {
    resetSimulator(simulator);
    for (const order of faults) simulator.faults.add(order);
    await applyFaults();
  };
  const control = listen(controlApi({ simulator, reset, applyFaults }), ports.control, 'SANDBOX_CONTROL_PORT');
  const close = async (): Promise<void> => {
    simulator.time.drop();
    await Promise.all([base.set(false), crm.set(false), control.set(false), simulator.callbacks.stop()]);
  };

  try {
    // Each opens first, with any faults: a closed listener must know its port.
    for (const listener of [base, crm, control]) await listener.set(true);
    await applyFaults();
  } catch (thrown) {
    // The file may belong to the sandbox that uses these ports: it is not written.
    writer?.stop();
    await close();
    throw thrown;
  }
  simulator.base = base.url;
  resume(simulator);
  return {
    base: base.url,
    crm: crm.url,
    control: control.url,
    kept: () => writer?.write() ?? Promise.resolve(),
    stop: async () => {
      await close();
      await writer?.end();
    },
  };
}

function createSimulator({
  clock = systemClock,
  seed,
  headerPrefix = 'SERVICE',
  settings = {},
}: SandboxOptions): Simulator {
  return {
    time: new SandboxTime(clock),
    random: seed === undefined ? systemRandom : seededRandom(seed),
    starts: 0,
    revision: 0,
    settings: new Settings(settings),
    faults: new Faults(),
    headerPrefix: headerPrefix.toLowerCase(),
    credentials: defaultCredentials,
    callbacks: new Callbacks(),
    bearerTokens: new BearerTokens(),
    records: new Records(),
    base: '',
  };
}

function resetSimulator(simulator: Simulator): void {
  simulator.time.reset();
  simulator.settings.reset();
  simulator.faults.clear();
  simulator.bearerTokens.clear();
  simulator.records = new Records();
}

async function openRecords(simulator: Simulator, options: SandboxOptions): Promise<RecordsWriter | undefined> {
  const { books: path, seed, clock = systemClock, onBooksLost: onLost = raise } = options;
  if (path === undefined) return undefined;
  await readRecords(path, simulator);
  if (seed !== undefined) simulator.random = seededRandom(seed + simulator.starts);
  return new RecordsWriter({ path, simulator, clock, onLost });
}

function raise(thrown: unknown): never {
  throw thrown;
}

/** Resumes what was scheduled when the sandbox stopped. */
function resume(simulator: Simulator): void {
  const { disbursements, invoices, paymentRequests } = simulator.records;
  for (const record of disbursements.values())
    for (const scheduled of record.scheduled) resumeDisbursement(record, scheduled, simulator);
  for (const invoice of invoices.values())
    for (const scheduled of invoice.scheduled) resumeInvoice(invoice, scheduled, simulator);
  for (const request of paymentRequests.values()) if (request.status === 'pending') awaitCustomer(request, simulator);
}

function line(operation: string, answer: Answer | undefined): string {
  if (answer === undefined) return `${operation} fault`;
  const body: Readonly<Record<string, unknown>> = { ...answer.body };
  const code = body['response_code'] ?? body['response-code'] ?? body['code'] ?? body['success'];
  return `${operation} ${answer.status} ${JSON.stringify(code) ?? ''}`.trimEnd();
}
