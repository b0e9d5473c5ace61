/**
 * The real workers of campaigns over a model of the ledger, with lost answers, a provider that does not recognise
 * repeated requests, and processes that die or pause at any await.
 *
 * A failure prints the seed of its world: `RELAIS_SEED=<seed> npx vitest run --project unit test/simulation` runs
 * only that world in every setting. `RELAIS_DEEP=1` runs twenty times as many.
 */
import { expect, test } from 'vitest';
import { DEEP } from '../support/deep.ts';
import { type SmsOptions, SmsWorld } from './sms.ts';
import { smsMutants } from './sms-mutants.ts';

type Setting = Omit<SmsOptions, 'seed'>;

const settings: Readonly<Record<string, Setting>> = {
  'what is unknown stays so': { onUnknown: 'hold' },
  'what is unknown is sent again': { onUnknown: 'resend' },
  'processes stand still, and most requests fail': {
    onUnknown: 'hold',
    faults: { freeze: 0.1, provider: 0.6, standsStillBeforeSend: 0.02 },
  },
  'the same, and what is unknown is sent again': {
    onUnknown: 'resend',
    faults: { freeze: 0.1, provider: 0.6, standsStillBeforeSend: 0 },
  },
  'PostgreSQL loses its connections': { onUnknown: 'hold', faults: { away: 0.05, answerLost: 0.1, kill: 0.03 } },
};

const WORLDS = DEEP ? 2_000 : 100;
/** Maximum worlds until a mutant must be detected. */
const MUTANT_WORLDS = 1_000;
const REPLAY = Number(process.env['RELAIS_SEED'] ?? 0);
const seedsOf = (nth: number): number[] =>
  REPLAY > 0 ? [REPLAY] : Array.from({ length: WORLDS }, (_, index) => nth * 100_000 + index + 1);

async function lived(options: SmsOptions): Promise<readonly string[]> {
  const world = new SmsWorld(options);
  await world.live();
  return world.broken.map((how) => `seed ${options.seed}: ${how}`);
}

test.for(Object.entries(settings).map(([title, setting], nth) => ({ title, setting, nth })))(
  'campaigns keep every promise: $title',
  async ({ setting, nth }) => {
    const all: string[] = [];
    for (const seed of seedsOf(nth)) all.push(...(await lived({ ...setting, seed })));
    expect(all).toEqual([]);
  },
);

test.for(smsMutants)('without $without a promise breaks', async ({ options, breaks }) => {
  for (let seed = 1; seed <= MUTANT_WORLDS; seed += 1) {
    const found = await lived({ ...options, seed });
    if (found.some((how) => breaks.test(how))) return;
  }
  expect.unreachable(`no promise broke in ${MUTANT_WORLDS} worlds`);
});
