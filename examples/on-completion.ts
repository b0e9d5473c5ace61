/**
 * Hears how operations ended, from another service. Start as many as you like: they share the events of their group.
 *
 *   DATABASE_URL=postgres://127.0.0.1:… node examples/on-completion.ts
 */
import { type CompletionEvent, onEvent } from 'relais/events';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

/** An event may come twice, with the same id; a database would keep the ids and skip what it has seen. */
const seen = new Set<string>();

async function settleOrder(event: CompletionEvent): Promise<void> {
  if (seen.has(event.id)) return;
  console.log(JSON.stringify({ type: event.type, reference: event.data.reference, id: event.data.id }));
  seen.add(event.id);
}

await onEvent({
  database: process.env['DATABASE_URL'] ?? 'postgres://127.0.0.1:5432/relais',
  group: 'orders',
  types: ['disbursement.succeeded', 'disbursement.failed', 'disbursement.rejected', 'disbursement.needs_review'],
  // What throws here is tried again, later and by any consumer of the group.
  handler: settleOrder,
  signal: stop.signal,
});
