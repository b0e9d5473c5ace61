/** The control API: books, faults, time, settings, and the decisions of payers and operators. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import { toMs } from '../lib/clock.ts';
import { verdicts } from './books.ts';
import { notifyInvoice, settleInvoice } from './checkout.ts';
import { callBack, settle } from './disbursements.ts';
import { type FaultName, faultNames, faultTable } from './fault-table.ts';
import { reply, send } from './misbehave.ts';
import { decide } from './payment-requests.ts';
import type { SettingPatch } from './settings.ts';
import type { World } from './world.ts';

/** What only the whole sandbox can do. */
export interface Switchboard {
  readonly world: World;
  readonly reset: () => Promise<void>;
  /** Opens and closes the listeners as the standing faults demand. */
  readonly applyFaults: () => Promise<void>;
}

interface Call {
  readonly tail: string;
  readonly body: unknown;
  readonly accept: string;
  readonly response: ServerResponse;
}

interface Route {
  readonly does: string;
  readonly run: (call: Call, board: Switchboard) => void | Promise<void>;
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
    does: 'Everything the service did.',
    run: ({ response }, { world }) => json(response, world.books.everything()),
  },
  'GET /books/summary': {
    does: 'Counts only.',
    run: ({ response }, { world }) => json(response, world.books.summary()),
  },
  'GET /books/*': {
    does: 'One section: disbursements, messages, invoices, directCredits, paymentRequests, softpay, callbacks or breaches. `Accept: application/x-ndjson` gives lines.',
    run: (call, { world }) => showSection(call, world),
  },
  'POST /faults': {
    does: 'Orders a fault: {fault, operation?, probability?, count?, match?, seed?, delayMs?, retryAfterSeconds?, code?}.',
    run: async ({ body, response }, board) => {
      const { fault, ...more } = orderBody.parse(body);
      const given = Object.entries(more).filter(([, value]) => value !== undefined);
      const id = board.world.faults.add({ fault, ...Object.fromEntries(given) });
      await board.applyFaults();
      json(response, { id }, 201);
    },
  },
  'GET /faults': {
    does: 'The faults that stand, and how often each has struck.',
    run: ({ response }, { world }) => json(response, { faults: world.faults.list() }),
  },
  'DELETE /faults': {
    does: 'Removes them all.',
    run: async ({ response }, board) => {
      board.world.faults.clear();
      await board.applyFaults();
      done(response);
    },
  },
  'DELETE /faults/*': {
    does: 'Removes one.',
    run: async ({ tail, response }, board) => {
      if (!board.world.faults.remove(tail)) return missing(response, 'fault');
      await board.applyFaults();
      done(response);
    },
  },
  'GET /clock': {
    does: 'The time of the service, in ms since the epoch.',
    run: ({ response }, { world }) => json(response, { now: world.time.now() }),
  },
  'POST /clock': {
    does: 'Moves the time of the service forward: {"advance": "24h"}.',
    run: ({ body, response }, { world }) => {
      world.time.advance(toMs(z.strictObject({ advance: z.string() }).parse(body).advance));
      json(response, { now: world.time.now() });
    },
  },
  'GET /settings': {
    does: 'The settings in force.',
    run: ({ response }, { world }) => json(response, world.settings.values),
  },
  'POST /settings': {
    does: 'Changes some of them.',
    run: ({ body, response }, { world }) => {
      world.settings.change(body as SettingPatch);
      json(response, world.settings.values);
    },
  },
  'POST /disbursements/*': {
    does: 'The operator decides: {"status": "success" | "failed" | "reversed" | "refunded" | "cancelled"}, after a success too.',
    run: async ({ tail, body, response }, { world }) => {
      const record = world.books.disbursements.get(tail);
      if (record === undefined) return missing(response, 'disbursement');
      const { status } = z.strictObject({ status: z.enum(verdicts) }).parse(body);
      // A verdict on nothing, or twice the same, would put money into the books that nobody moved.
      if (record.status === 'created' || record.status === status)
        return json(response, { message: `the disbursement is ${record.status}` }, 409);
      await settle(record, status, world);
      done(response);
    },
  },
  'POST /invoices/*': {
    does: 'The payer decides: {"status": "completed" | "cancelled" | "failed", "failReason"?}.',
    run: async ({ tail, body, response }, { world }) => {
      const invoice = world.books.invoices.get(tail);
      if (invoice === undefined) return missing(response, 'invoice');
      const decision = z.strictObject({
        status: z.enum(['completed', 'cancelled', 'failed']),
        failReason: z.string().optional(),
      });
      const { status, failReason } = decision.parse(body);
      await settleInvoice(invoice, status, world, failReason);
      done(response);
    },
  },
  'POST /payment-requests/*': {
    does: 'The customer decides: {"status": "completed" | "failed"}.',
    run: ({ tail, body, response }, { world }) => {
      const request = world.books.paymentRequests.get(tail);
      if (request === undefined) return missing(response, 'payment request');
      decide(request, z.strictObject({ status: z.enum(['completed', 'failed']) }).parse(body).status, world);
      done(response);
    },
  },
  'POST /callbacks/*': {
    does: 'Posts the callback of a disbursement or an invoice again, as it is now, by its token.',
    run: async ({ tail, response }, { world }) => {
      const record = world.books.disbursements.get(tail);
      const invoice = world.books.invoices.get(tail);
      if (record) await callBack(record, world);
      else if (invoice) await notifyInvoice(invoice, world);
      else return missing(response, 'token');
      done(response);
    },
  },
  'POST /reset': {
    does: 'Empty books, no faults, the settings and the time of the start.',
    run: async ({ response }, board) => {
      await board.reset();
      done(response);
    },
  },
};

function showSection({ tail, accept, response }: Call, world: World): void {
  const entries = world.books.section(tail);
  if (entries === undefined) return missing(response, 'section');
  if (!accept.includes('application/x-ndjson')) return json(response, [...entries]);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  void writeLines(entries, response);
}

/** A million lines must not be one string; the client's pace is the pace. */
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

export function control(board: Switchboard): RequestListener {
  return (request, response) => {
    void handle(request, response, board).catch((thrown: unknown) => {
      const ours = thrown instanceof RangeError || thrown instanceof SyntaxError || thrown instanceof z.ZodError;
      json(response, { message: describe(thrown) }, ours ? 400 : 500);
    });
  };
}

const describe = (thrown: unknown): string =>
  thrown instanceof z.ZodError ? z.prettifyError(thrown) : String(thrown);

async function handle(request: IncomingMessage, response: ServerResponse, board: Switchboard): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split('?');
  const slash = path.lastIndexOf('/');
  const exact = controlRoutes[`${request.method} ${path}`];
  const route = exact ?? controlRoutes[`${request.method} ${path.slice(0, slash)}/*`];
  if (route === undefined) return missing(response, `route: ${request.method} ${path}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  await route.run({ tail: path.slice(slash + 1), body, accept: request.headers.accept ?? '', response }, board);
}
