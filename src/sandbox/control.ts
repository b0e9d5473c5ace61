/** The control API: records, faults, time, settings, and the decisions of payers and operators. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import { toMs } from '../lib/clock.ts';
import { reply, send } from './answers.ts';
import { notifyInvoice, settleInvoice } from './checkout.ts';
import { callBack, settle } from './disbursements.ts';
import { type FaultName, faultNames, faultTable } from './fault-table.ts';
import { settlePaymentRequest } from './payment-requests.ts';
import { sections, verdicts } from './records.ts';
import type { SettingPatch } from './settings.ts';
import type { Simulator } from './simulator.ts';
import { MessageError } from '../messages/texts.ts';

export interface Control {
  readonly simulator: Simulator;
  readonly reset: () => Promise<void>;
  /** Opens and closes the listeners according to the active faults. */
  readonly applyFaults: () => Promise<void>;
}

interface ControlCall {
  readonly tail: string;
  readonly body: unknown;
  readonly accept: string;
  readonly response: ServerResponse;
}

interface Route {
  readonly does: string;
  readonly run: (call: ControlCall, control: Control) => void | Promise<void>;
}

const orderBody = z.strictObject({
  fault: z.enum(faultNames as [FaultName, ...FaultName[]]),
  operation: z.string().optional(),
  probability: z.number().optional(),
  count: z.int().optional(),
  match: z.string().optional(),
  seed: z.int().optional(),
  delayMs: z.int().min(0).optional(),
  retryAfterSeconds: z.int().min(0).optional(),
  code: z.string().min(1).optional(),
});

const json = (response: ServerResponse, body: object, status = 200): void => reply(response, { status, body });
const done = (response: ServerResponse): void => send(response, 204, '');
const missing = (response: ServerResponse, what: string): void => json(response, { message: `no such ${what}` }, 404);

export const controlRoutes: Readonly<Record<string, Route>> = {
  'GET /': {
    does: 'This list.',
    run: ({ response }) => {
      const routes = Object.entries(controlRoutes).map(([route, { does }]) => [route, does]);
      json(response, { routes: Object.fromEntries(routes), faults: faultTable });
    },
  },
  'GET /books': {
    does: 'Everything the provider did.',
    run: ({ response }, { simulator }) => json(response, simulator.records.everything()),
  },
  'GET /books/summary': {
    does: 'Counts only.',
    run: ({ response }, { simulator }) => json(response, simulator.records.summary()),
  },
  'GET /books/*': {
    does: 'One section: disbursements, messages, invoices, directCredits, paymentRequests, softpay, callbacks or breaches. `Accept: application/x-ndjson` gives lines.',
    run: (call, { simulator }) => showSection(call, simulator),
  },
  'POST /faults': {
    does: 'Orders a fault: {fault, operation?, probability?, count?, match?, seed?, delayMs?, retryAfterSeconds?, code?}.',
    run: async ({ body, response }, control) => {
      const { fault, ...more } = orderBody.parse(body);
      const given = Object.entries(more).filter(([, value]) => value !== undefined);
      const id = control.simulator.faults.add({ fault, ...Object.fromEntries(given) });
      await control.applyFaults();
      json(response, { id }, 201);
    },
  },
  'GET /faults': {
    does: 'The active faults, and how often each has struck.',
    run: ({ response }, { simulator }) => json(response, { faults: simulator.faults.list() }),
  },
  'DELETE /faults': {
    does: 'Removes all faults.',
    run: async ({ response }, control) => {
      control.simulator.faults.clear();
      await control.applyFaults();
      done(response);
    },
  },
  'DELETE /faults/*': {
    does: 'Removes one fault.',
    run: async ({ tail, response }, control) => {
      if (!control.simulator.faults.remove(tail)) return missing(response, 'fault');
      await control.applyFaults();
      done(response);
    },
  },
  'GET /clock': {
    does: 'The time of the provider, in ms since the epoch.',
    run: ({ response }, { simulator }) => json(response, { now: simulator.time.now() }),
  },
  'POST /clock': {
    does: 'Moves the time of the provider forward: {"advance": "24h"}.',
    run: ({ body, response }, { simulator }) => {
      simulator.time.advance(toMs(z.strictObject({ advance: z.string() }).parse(body).advance));
      json(response, { now: simulator.time.now() });
    },
  },
  'GET /settings': {
    does: 'The present settings.',
    run: ({ response }, { simulator }) => json(response, simulator.settings.values),
  },
  'POST /settings': {
    does: 'Changes some settings.',
    run: ({ body, response }, { simulator }) => {
      simulator.settings.change(body as SettingPatch);
      json(response, simulator.settings.values);
    },
  },
  'POST /disbursements/*': {
    does: 'The operator decides: {"status": "success" | "failed" | "reversed" | "refunded" | "cancelled"}, after a success too.',
    run: async ({ tail, body, response }, { simulator }) => {
      const record = simulator.records.disbursements.get(tail);
      if (record === undefined) return missing(response, 'disbursement');
      const { status } = z.strictObject({ status: z.enum(verdicts) }).parse(body);
      // A status before the submit, or a repeated one, would change only the balances.
      if (record.status === 'created' || record.status === status)
        return json(response, { message: `the disbursement is ${record.status}` }, 409);
      await settle(record, status, simulator);
      done(response);
    },
  },
  'POST /invoices/*': {
    does: 'The payer decides: {"status": "completed" | "cancelled" | "failed", "failReason"?}.',
    run: async ({ tail, body, response }, { simulator }) => {
      const invoice = simulator.records.invoices.get(tail);
      if (invoice === undefined) return missing(response, 'invoice');
      const decision = z.strictObject({
        status: z.enum(['completed', 'cancelled', 'failed']),
        failReason: z.string().optional(),
      });
      const { status, failReason } = decision.parse(body);
      await settleInvoice(invoice, status, simulator, failReason);
      done(response);
    },
  },
  'POST /payment-requests/*': {
    does: 'The customer decides: {"status": "completed" | "failed"}.',
    run: ({ tail, body, response }, { simulator }) => {
      const request = simulator.records.paymentRequests.get(tail);
      if (request === undefined) return missing(response, 'payment request');
      settlePaymentRequest(
        request,
        z.strictObject({ status: z.enum(['completed', 'failed']) }).parse(body).status,
        simulator,
      );
      done(response);
    },
  },
  'POST /callbacks/*': {
    does: 'Posts the callback of a disbursement or an invoice again, as it is now, by its token.',
    run: async ({ tail, response }, { simulator }) => {
      const record = simulator.records.disbursements.get(tail);
      const invoice = simulator.records.invoices.get(tail);
      if (record) await callBack(record, simulator);
      else if (invoice) await notifyInvoice(invoice, simulator);
      else return missing(response, 'token');
      done(response);
    },
  },
  'POST /reset': {
    does: 'Empties the records, removes the faults, and restores the settings and the time of the start.',
    run: async ({ response }, control) => {
      await control.reset();
      done(response);
    },
  },
};

function showSection({ tail, accept, response }: ControlCall, simulator: Simulator): void {
  const section = Object.hasOwn(sections, tail) ? sections[tail] : undefined;
  if (section === undefined) return missing(response, 'section');
  const entries = section.show(simulator.records);
  if (!accept.includes('application/x-ndjson')) return json(response, [...entries]);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  void writeLines(entries, response);
}

/** A million lines must not become one string: they are written at the client's speed. */
async function writeLines(entries: Iterable<object>, response: ServerResponse): Promise<void> {
  let lines = '';
  for (const entry of entries) {
    lines += `${JSON.stringify(entry)}\n`;
    if (lines.length < 65_536) continue;
    const flowing = response.write(lines);
    lines = '';
    if (!flowing) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    if (response.destroyed) return;
  }
  response.end(lines);
}

export function controlApi(control: Control): RequestListener {
  return (request, response) => {
    void handle(request, response, control).catch((thrown: unknown) => {
      const ours =
        thrown instanceof MessageError ||
        thrown instanceof RangeError ||
        thrown instanceof SyntaxError ||
        thrown instanceof z.ZodError;
      json(response, { message: describe(thrown) }, ours ? 400 : 500);
    });
  };
}

const describe = (thrown: unknown): string =>
  thrown instanceof z.ZodError ? z.prettifyError(thrown) : String(thrown);

async function handle(request: IncomingMessage, response: ServerResponse, control: Control): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split('?');
  const slash = path.lastIndexOf('/');
  const exact = controlRoutes[`${request.method} ${path}`];
  const route = exact ?? controlRoutes[`${request.method} ${path.slice(0, slash)}/*`];
  if (route === undefined) return missing(response, `route: ${request.method} ${path}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (request.method !== 'GET') control.simulator.revision += 1;
  await route.run({ tail: path.slice(slash + 1), body, accept: request.headers.accept ?? '', response }, control);
}
