/** The provider's calls alone, without queue and records: the cost of provider and network. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultCredentials } from '../../../src/sandbox/sandbox.ts';
import { CONCURRENCY, chunkBody, paymentOf, inParallel, PER_REQUEST } from '../work.ts';
import { createToken, logIn, send, status, submit } from './calls.ts';

export interface CampaignOrder {
  readonly crm: string;
  readonly first: number;
  readonly recipients: number;
  readonly concurrency?: number;
}

/** Its duration, ms. */
export async function bareCampaign(order: CampaignOrder): Promise<number> {
  const { crm, first, recipients, concurrency = CONCURRENCY } = order;
  const token = await logIn(crm);
  const started = performance.now();
  await inParallel(Math.ceil(recipients / PER_REQUEST), concurrency, async (chunk) => {
    const from = chunk * PER_REQUEST;
    const count = Math.min(PER_REQUEST, recipients - from);
    await send(crm, token, chunkBody(first + from, count, defaultCredentials.smsAppKey));
  });
  return performance.now() - started;
}

export interface PaymentsOrder {
  readonly base: string;
  readonly first: number;
  readonly count: number;
  readonly concurrency?: number;
}

let receiver: Promise<Server> | undefined;

/** A receiver that answers callbacks and ignores them. */
export async function callbackUrl(): Promise<string> {
  receiver ??= new Promise((resolve) => {
    const server = createServer((asked, answer) => {
      asked.resume();
      asked.on('end', () => answer.end());
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
  const { port } = (await receiver).address() as AddressInfo;
  return `http://127.0.0.1:${port}/callback`;
}

/** Token, submit, and at the end one check each: by then the provider has settled, so no waiting is measured. */
export async function barePayments(order: PaymentsOrder): Promise<number> {
  const { base, first, count, concurrency = CONCURRENCY } = order;
  const url = await callbackUrl();
  const tokens: string[] = [];
  const started = performance.now();
  await inParallel(count, concurrency, async (index) => {
    const token = await createToken(base, { ...paymentOf(first + index), callbackUrl: url });
    await submit(base, token, `bare-${process.pid}-${first + index}`);
    tokens[index] = token;
  });
  await inParallel(count, concurrency, async (index) => {
    while ((await status(base, tokens[index] ?? '')) !== 'success');
  });
  return performance.now() - started;
}
