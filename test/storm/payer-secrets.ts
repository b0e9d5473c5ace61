/** Payers at a checkout, whose codes, passwords and cards pass through relais and must not stay there. */
import { PAYER } from './canaries.ts';
import { nowMs, wait } from './clock.ts';
import { ask } from './http.ts';

const EVERY_MS = 700;
const customer = { name: 'Awa Diop', email: 'awa@mail.example' };

const asked = [
  { method: 'wallet-a-ci', customer: { ...customer, phone: '0701020304' }, otp: PAYER.otp },
  { method: 'service', customer: { ...customer, phone: '771234567' }, password: PAYER.password },
  { method: 'card', customer, card: PAYER.card },
] as const;

/** A check of secrets that were never used would prove nothing, so each is used once even if the storm is over. */
const USED_WITHIN_MS = 60_000;

/** Until the signal fires and each secret was used. The result is irrelevant: only leftover data matters. */
export async function pay(api: string, seed: number, signal: AbortSignal): Promise<void> {
  const until = nowMs() + USED_WITHIN_MS;
  let used = 0;
  const goesOn = (): boolean => !signal.aborted || (used < asked.length && nowMs() < until);
  for (let index = 0; goesOn(); index += 1) {
    await wait(EVERY_MS);
    const reference = `storm-${seed}-invoice-${index}`;
    const body = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference };
    const invoice = await ask(`${api}/v1/invoices`, { method: 'POST', body, withinMs: 3_000 });
    const { id } = (invoice?.body ?? {}) as { id?: string };
    if (id === undefined) continue;
    const payment = asked[used % asked.length];
    const answer = await ask(`${api}/v1/invoices/${id}/softpay`, { method: 'POST', body: payment, withinMs: 3_000 });
    if (answer !== undefined) used += 1;
  }
}
