/** Other requests during a storm: codes that expire soon, and credits without a status check. */
import { nowMs, wait } from './clock.ts';
import { ask, mustAsk } from './http.ts';
import type { SeenCode, SeenCredit } from './story.ts';

const CODE_EVERY_MS = 150;
const CODE_LASTS_MS = 3_000;
const CREDIT_EVERY_MS = 900;

/** Until the signal fires: a code at intervals, without retries. */
export async function askForCodes(api: string, seed: number, signal: AbortSignal): Promise<SeenCode[]> {
  const codes: SeenCode[] = [];
  for (let index = 0; !signal.aborted; index += 1) {
    await wait(CODE_EVERY_MS);
    const text = `code ${seed}.${index}`;
    codes.push({ text, expiresAt: nowMs() + CODE_LASTS_MS });
    const expiresAt = new Date(Date.now() + CODE_LASTS_MS).toISOString();
    const body = { to: `+22178${String(index).padStart(7, '0')}`, text, lane: 'otp', expiresAt };
    // Not awaited: a frozen API must not stop the others.
    void ask(`${api}/v1/messages`, { method: 'POST', body, withinMs: CODE_LASTS_MS });
  }
  return codes;
}

const creditAlias = (index: number): string => `76${String(index).padStart(7, '0')}`;

/** Until the signal fires; resolves with the time of each request. */
export async function askForCredits(api: string, seed: number, signal: AbortSignal): Promise<number[]> {
  const askedAt: number[] = [];
  for (let index = 0; !signal.aborted; index += 1) {
    await wait(CREDIT_EVERY_MS);
    askedAt.push(nowMs());
    const body = { accountAlias: creditAlias(index), amount: 700, reference: `storm-${seed}-credit-${index}` };
    const reply = await ask(`${api}/v1/direct-credits`, { method: 'POST', body, withinMs: 3_000 });
    // A storm without any credit proves nothing about them.
    if (reply && reply.status >= 400 && reply.status < 500)
      throw new Error(`a credit was refused: ${reply.status} ${JSON.stringify(reply.body)}`);
  }
  return askedAt;
}

export async function readCredits(control: string, asked: readonly number[]): Promise<SeenCredit[]> {
  const booked = await mustAsk<{ accountAlias: string }[]>(`${control}/books/directCredits`);
  return asked.map((askedAt, index) => {
    const accountAlias = creditAlias(index);
    return { accountAlias, askedAt, times: booked.filter((one) => one.accountAlias === accountAlias).length };
  });
}
