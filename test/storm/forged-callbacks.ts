/** An attacker who sends forged callbacks: with a valid address and false content, or with an invented address. */
import type { Random } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { callbackPath } from '../../src/webhooks/receiver.ts';
import { wait } from './clock.ts';
import { ask } from './http.ts';
import { CALLBACK_SECRET } from './plan.ts';
import type { Asked } from './story.ts';

const EVERY_MS = 120;
const LIES = ['success', 'failed', 'created', 'pending'] as const;

export interface ForgedCounts {
  lies: number;
  wrongAddresses: number;
  /** Wrong addresses that were answered like valid ones. */
  believed: number;
}

export async function forge(
  webhooks: string,
  asked: readonly Asked[],
  random: Random,
  signal: AbortSignal,
): Promise<ForgedCounts> {
  const counts: ForgedCounts = { lies: 0, wrongAddresses: 0, believed: 0 };
  while (!signal.aborted && asked.length > 0) {
    await wait(EVERY_MS);
    const about = asked[Math.floor(random.fraction() * asked.length)];
    const lie = LIES[Math.floor(random.fraction() * LIES.length)];
    const wrong = random.fraction() < 0.3;
    if (!about) continue;
    const secret = new Secret(wrong ? 'somebody else' : CALLBACK_SECRET);
    const path = callbackPath([secret], { account: 'main', kind: 'disbursement', id: about.id });
    const body = { status: lie, token: 'made up', disburse_id: about.disburseId, amount: `${about.amount}.00` };
    const reply = await ask(`${webhooks}${path}`, { method: 'POST', body, withinMs: 2_000 });
    if (wrong) counts.wrongAddresses += 1;
    else counts.lies += 1;
    if (wrong && reply && reply.status < 300) counts.believed += 1;
  }
  return counts;
}
