/** The work of all contenders: recipients, texts and payments. */
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';

export const CONCURRENCY = 50;
export const PER_REQUEST = 50;
export const TEXT = 'Bonjour {{prenom}}, votre colis est disponible au point relais jusqu’a samedi 18h.';
export const { smsSender: SENDER } = defaultCredentials;

const NAMES = ['Awa', 'Moussa', 'Fatou', 'Ousmane', 'Mariama', 'Koffi', 'Adjoa', 'Yao'];
const FIRST_NUMBER = 1_000_000;

export const nameOf = (index: number): string => NAMES[index % NAMES.length] ?? '';
export const numberOf = (index: number): string => `+22177${String(FIRST_NUMBER + index).padStart(7, '0')}`;
export const textOf = (index: number): string => TEXT.replace('{{prenom}}', nameOf(index));

/** One request of up to fifty, in the provider's format. */
export function chunkBody(first: number, count: number, appKey: string): string {
  const sms = Array.from({ length: count }, (_, offset) => ({
    from: SENDER,
    to: numberOf(first + offset),
    text: textOf(first + offset),
  }));
  return JSON.stringify({ send_sms_request: { type: 'application', app_key: appKey, sms } });
}

const LINES_AT_ONCE = 1_000;

/** The upload of a campaign: a number and one small variable per row. */
export function* recipientsFile(first: number, count: number): Generator<string> {
  yield 'to;prenom\n';
  for (let from = 0; from < count; from += LINES_AT_ONCE) {
    let lines = '';
    for (let index = from; index < Math.min(count, from + LINES_AT_ONCE); index += 1) {
      lines += `${numberOf(first + index)};${nameOf(first + index)}\n`;
    }
    yield lines;
  }
}

export function paymentOf(index: number) {
  return {
    accountAlias: `77${String(FIRST_NUMBER + index).padStart(7, '0')}`,
    amount: 100 + (index % 900),
    withdrawMode: 'wallet-a-senegal',
  };
}

export const referenceOf = (index: number): string => `bench-${index}`;

export const paymentHeaders = {
  'SERVICE-MASTER-KEY': defaultCredentials.masterKey,
  'SERVICE-PRIVATE-KEY': defaultCredentials.privateKey,
  'SERVICE-TOKEN': defaultCredentials.token,
  'content-type': 'application/json',
} as const;

/** Runs `task` for 0 … count-1, with limited concurrency. */
export async function inParallel(
  count: number,
  atOnce: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
}
