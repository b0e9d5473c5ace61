/**
 * Asks for a payment and an SMS with nothing but BullMQ, and reads how they ended over HTTP. It imports nothing of
 * relais, so it works the same in any language that has a BullMQ client. docs/intake.schema.json says what a job may hold.
 * Start `./bin/relais.js dev` and give this the address of its Redis:
 *
 *   REDIS_URL=redis://127.0.0.1:… node examples/enqueue-bullmq.ts order-1042
 *
 * Another address or key of the API: RELAIS_URL, RELAIS_API_KEY.
 */
import { setTimeout } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';

const order = process.argv[2] ?? 'order-1042';
const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
// The prefix is part of the contract, as the name of the queue is.
const options = { prefix: '{relais}', connection: { url } };
const intake = new Queue('intake', options);
const answers = new QueueEvents('intake', options);
await answers.waitUntilReady();

// The same fields as the HTTP body, and `kind`. The reference makes a retry harmless: run this twice, pay once.
const requests = [
  {
    kind: 'disbursement',
    reference: order,
    accountAlias: '771234567',
    amount: 25_000,
    withdrawMode: 'wallet-a-senegal',
  },
  {
    kind: 'message',
    reference: `${order}-text`,
    to: '+221771234567',
    text: 'Bonjour Awa, votre salaire est en route.',
  },
];

const waiting = new Set<string>();
for (const request of requests) {
  const job = await intake.add('ask', request);
  try {
    // {id, outcome}: `accepted` the first time, `duplicate` from then on.
    const answer = (await job.waitUntilFinished(answers, 10_000)) as { id: string; outcome: string };
    process.stdout.write(`${request.reference}: ${JSON.stringify(answer)}\n`);
    waiting.add(answer.id);
  } catch (error) {
    // Nothing was recorded and nothing will be sent; the message names every problem.
    process.stdout.write(`${request.reference}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
await answers.close();
await intake.close();

// A service would store `next`, or receive webhooks.
const api = process.env['RELAIS_URL'] ?? 'http://127.0.0.1:3000';
const headers = { authorization: `Bearer ${process.env['RELAIS_API_KEY'] ?? 'dev'}` };
let after = '0-0';
for (let page = 0; page < 60 && waiting.size > 0; page += 1) {
  const answer = await fetch(`${api}/v1/events?after=${after}&limit=1000`, { headers });
  const { events, next } = (await answer.json()) as {
    events: { type: string; data: { id: string } }[];
    next: string;
  };
  for (const { type, data } of events) if (waiting.delete(data.id)) process.stdout.write(`${data.id}: ${type}\n`);
  after = next;
  if (events.length === 0) await setTimeout(500);
}
