/**
 * Asks for a disbursement and a text with nothing but BullMQ: no import of relais, so it works the same from any
 * language that has a BullMQ client. Start `./bin/relais.js dev` and give this the address of its Redis:
 *
 *   REDIS_URL=redis://127.0.0.1:… npx tsx examples/enqueue-bullmq.ts
 */
import { Queue, QueueEvents } from 'bullmq';

const options = {
  // The prefix is part of the contract, as the name of the queue is.
  prefix: '{relais}',
  connection: { url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379' },
};
const intake = new Queue('intake', options);
const answers = new QueueEvents('intake', options);
await answers.waitUntilReady();

// The same fields as the HTTP body, and `kind`. The reference makes a retry harmless: run this twice, pay once.
const requests = [
  {
    kind: 'disbursement',
    reference: 'salary-2026-11-awa',
    accountAlias: '771234567',
    amount: 25_000,
    withdrawMode: 'wallet-a-senegal',
  },
  { kind: 'message', reference: 'hello-awa', to: '+221771234567', text: 'Bonjour Awa, votre salaire est en route.' },
];

for (const request of requests) {
  const job = await intake.add('ask', request);
  try {
    // {id, outcome}: `accepted` the first time, `duplicate` from then on. How it ends is told by GET /v1/events.
    const answer: unknown = await job.waitUntilFinished(answers, 10_000);
    process.stdout.write(`${request.reference}: ${JSON.stringify(answer)}\n`);
  } catch (error) {
    // Nothing was recorded and nothing will be sent; the message names every problem.
    process.stdout.write(`${request.reference}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

await answers.close();
await intake.close();
