/**
 * Asks for a disbursement and two messages, from another service. `relais dev` prints the address of its Redis:
 *
 *   REDIS_URL=redis://127.0.0.1:… node examples/enqueue.ts order-1042
 */
import { createProducer, InvalidRequest, Unconfirmed } from 'relais/producer';

const reference = process.argv[2] ?? 'order-1042';
const producer = createProducer({ redis: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379' });

try {
  // The same reference again is the same disbursement: asking twice never pays twice.
  const disbursement = await producer.disburse({
    accountAlias: '771234567',
    amount: 25_000,
    withdrawMode: 'wallet-a-senegal',
    reference,
  });
  console.log('disbursement', disbursement);

  const messages = await producer.sendMessages([
    { to: '+221771234567', text: 'Your order is on its way', reference: `${reference}-a` },
    { to: '+221771234568', text: 'Bonjour', reference: `${reference}-b` },
  ]);
  for (const message of messages) console.log('message', message);
} catch (error) {
  if (error instanceof InvalidRequest) console.error('will never work:', error.problems);
  else if (error instanceof Unconfirmed) console.error('ask again, with the same reference:', error.message);
  else throw error;
  process.exitCode = 1;
} finally {
  await producer.close();
}
