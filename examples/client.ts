/**
 * Makes a payment over HTTP, and waits for its final state: for a service that shares no Redis with relais.
 *
 *     node examples/client.ts order-1042
 */
import { createClient, NoAnswer, Refused } from 'relais/client';

const [reference = 'order-1042'] = process.argv.slice(2);
const relais = createClient({
  url: process.env['RELAIS_URL'] ?? 'http://127.0.0.1:3000',
  key: process.env['RELAIS_API_KEY'] ?? 'dev',
});

try {
  const body = { reference, accountAlias: '771234567', amount: 25_000, withdrawMode: 'wallet-a-senegal' };
  const { id, state } = await relais.createDisbursement({ body });
  console.log(id, state);
  for await (const { event, cursor } of relais.follow()) {
    if (event.data.id !== id) continue;
    console.log(id, event.type, cursor);
    break;
  }
} catch (error) {
  if (error instanceof Refused) console.error(error.message, error.differs, error.existingId);
  else if (error instanceof NoAnswer) console.error(error.message);
  else throw error;
  process.exitCode = 1;
}
