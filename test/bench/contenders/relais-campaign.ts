/** A campaign through relais: created, uploaded, started, and over when the last recipient is accounted for. */
import { setTimeout as delay } from 'node:timers/promises';
import { keys } from '../../../src/operations/keys.ts';
import { recipientsFile, TEXT } from '../work.ts';
import type { Relais } from './relais.ts';

const LOOK_EVERY_MS = 20;

interface View {
  readonly id: string;
  readonly state: string;
  readonly totals: Readonly<Record<string, number>>;
}

export interface Prepared {
  readonly id: string;
  readonly uploadMs: number;
}

export async function prepareCampaign(
  relais: Relais,
  name: string,
  { first, recipients }: { first: number; recipients: number },
): Promise<Prepared> {
  const body = { name, reference: name, text: TEXT, country: 'SN' };
  const { id } = await relais.ask<View>('POST', '/v1/campaigns', body);
  const began = performance.now();
  await relais.ask('POST', `/v1/campaigns/${id}/recipients`, recipientsFile(first, recipients));
  return { id, uploadMs: performance.now() - began };
}

/** From the start to the last settled recipient, by the clock of Redis, ms. Throws when somebody is missing. */
export async function runCampaign(relais: Relais, { id }: Prepared, recipients: number): Promise<number> {
  await relais.ask('POST', `/v1/campaigns/${id}/start`);
  const over = async (): Promise<boolean> => (await relais.look.hget(keys.record(id), 'state')) === 'finished';
  while (!(await over())) await delay(LOOK_EVERY_MS);
  const [startedAt, since] = await relais.look.hmget(keys.record(id), 'startedAt', 'since');
  const { totals } = await relais.ask<View>('GET', `/v1/campaigns/${id}`);
  if (totals['sent'] !== recipients) throw new Error(`not everybody was sent to: ${JSON.stringify(totals)}`);
  return Number(since) - Number(startedAt);
}
