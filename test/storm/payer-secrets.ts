/** Payers at a checkout, whose codes, passwords and cards pass through relais and must not stay there. */
import { PAYER } from './canaries.ts';
import { wait } from './clock.ts';
import { ask } from './http.ts';

const EVERY_MS = 700;
const customer = { name: 'Awa Diop', email: 'awa@mail.example' };

const asked = [
  { method: 'wallet-a-ci', customer: { ...customer, phone: '0701020304' }, otp: PAYER.otp },
  { method: 'service', customer: { ...customer, phone: '771234567' }, password: PAYER.password },
  { method: 'card', customer, card: PAYER.card },
] as const;

/** Until the signal fires. The result is irrelevant: only leftover data matters. */
export async function pay(api: string, seed: number, signal: AbortSignal): Promise<void> {
  for (let index = 0; !signal.aborted; index += 1) {
    await wait(EVERY_MS);
    const reference = `storm-${seed}-invoice-${index}`;
    const body = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference };
    const invoice = await ask(`${api}/v1/invoices`, { method: 'POST', body, withinMs: 3_000 });
    const { id } = (invoice?.body ?? {}) as { id?: string };
    if (id === undefined) continue;
    const payment = asked[index % asked.length];
    await ask(`${api}/v1/invoices/${id}/softpay`, { method: 'POST', body: payment, withinMs: 3_000 });
  }
}
