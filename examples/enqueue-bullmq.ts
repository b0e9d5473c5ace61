/**
 * Asks for a disbursement and a text with nothing but BullMQ, and reads how they ended: no import of relais, so it
 * works the same from any language that has a BullMQ client. docs/intake.schema.json says what a job may hold. Start
 * `./bin/relais.js dev` and give this the address of its Redis:
 *
 *   REDIS_URL=redis://127.0.0.1:… node examples/enqueue-bullmq.ts order-1042
 */
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';

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

// Events are a stream of Redis too. A service would keep the last place it has read, or use a consumer group.
const events = new Redis(url);
for (let place = '0-0'; waiting.size > 0; ) {
  const [[, entries] = ['', []]] = (await events.xread('BLOCK', 30_000, 'STREAMS', '{relais}:events', place)) ?? [];
  if (entries.length === 0) break;
  for (const [at, flat] of entries) {
    place = at;
    const id = flat[flat.indexOf('op') + 1] ?? '';
    const type = flat[flat.indexOf('type') + 1];
    if (waiting.delete(id)) process.stdout.write(`${id}: ${type}\n`);
  }
}
events.disconnect();
