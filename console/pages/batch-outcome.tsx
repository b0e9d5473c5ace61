/** The number of people of a batch who were paid, were not paid, or are uncertain. */
import type { Answer } from '../asking/ask.ts';
import { Count, Money, countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { FILLS, StackedBar } from '../parts/stacked-bar.tsx';
import { Sign } from '../parts/state.tsx';
import { type Tone, stateWord, toneOf } from '../words/states.ts';
import type { Words } from '../words/words.ts';

export type Batch = Answer<'getBatch'>;
export type Outcome = NonNullable<Batch['outcome']>;
export type OutcomeName = 'paid' | 'notPaid' | 'uncertain' | 'open' | 'elsewhere';

/** In display order. */
export const OUTCOMES: readonly OutcomeName[] = ['paid', 'notPaid', 'uncertain', 'open', 'elsewhere'];

const outcomeTones: Readonly<Record<OutcomeName, Tone>> = {
  paid: 'done',
  notPaid: 'bad',
  uncertain: 'uncertain',
  open: 'moving',
  elsewhere: 'off',
};

/** Rows that need attention: not paid, or uncertain. */
export const missingOf = ({ notPaid, uncertain }: Outcome): number => notPaid.count + uncertain.count;

/** `197 paid 45,013,500 XOF · 3 not paid 664,000 XOF`; amber while a row is not paid or uncertain. */
export function Headline({ outcome }: { readonly outcome: Outcome }) {
  const words = useWords();
  const shown = OUTCOMES.filter((one) => outcome[one].count > 0);
  const isWhole = missingOf(outcome) === 0;
  return (
    <p
      className={`flex flex-wrap gap-x-6 gap-y-1 rounded-lg px-3 py-2 text-lg font-semibold ${isWhole ? 'bg-sunk' : 'bg-uncertain-soft text-uncertain'}`}
      data-outcome={isWhole ? 'whole' : 'missing'}
    >
      {shown.map((one) => (
        <span key={one} className="inline-flex items-center gap-2" data-of={one}>
          <Sign tone={outcomeTones[one]} />
          <span>
            {words.paying.outcomes[one](countIn(words, outcome[one].count))} <Money xof={outcome[one].xof} />
          </span>
        </span>
      ))}
    </p>
  );
}

/** As one line of text, for lists. */
export function headlineIn(words: Words, outcome: Outcome): string {
  return OUTCOMES.filter((one) => outcome[one].count > 0)
    .map(
      (one) =>
        `${words.paying.outcomes[one](countIn(words, outcome[one].count))} ${moneyIn(words, outcome[one].xof)}`,
    )
    .join(' · ');
}

const BY_TONE: readonly Tone[] = ['done', 'bad', 'uncertain', 'asks', 'held', 'moving', 'off'];

/** A row has states that payments lack: not begun, or not in this batch. */
export function rowWord(words: Words, state: string): string {
  const own: Readonly<Record<string, string>> = words.paying.rowStates;
  return own[state] ?? stateWord(words.states, 'disbursement', state);
}

export const rowTone = (state: string): Tone => (state === 'waiting' ? 'moving' : toneOf('disbursement', state));

/** Every status of the rows: as a bar, and as figures below it. */
export function States({ states }: Pick<Batch, 'states'>) {
  const words = useWords();
  const shown = Object.entries(states)
    .map(([state, sum]) => ({ state, tone: rowTone(state), ...sum }))
    .toSorted((one, other) => BY_TONE.indexOf(one.tone) - BY_TONE.indexOf(other.tone));
  if (shown.length === 0) return null;
  const parts = shown.map(({ state, tone, count }) => ({ name: state, count, fill: FILLS[tone] }));
  const label = shown.map(({ state, count }) => `${rowWord(words, state)}: ${countIn(words, count)}`).join(', ');
  return (
    <>
      <StackedBar parts={parts} label={label} />
      <ul className="mt-3 space-y-1">
        {shown.map(({ state, tone, count, xof }) => (
          <li key={state} className="flex flex-wrap items-center justify-between gap-x-4" data-state={state}>
            <span className="inline-flex items-center gap-2">
              <Sign tone={tone} /> {rowWord(words, state)}
            </span>
            <span>
              <Count value={count} /> · <Money xof={xof} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
