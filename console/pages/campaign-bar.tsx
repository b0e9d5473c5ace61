/** Progress: a bar whose parts add up to all recipients. Uncertain is separate from sent and not sent. */
import type { Answer } from '../asking/ask.ts';
import { Count, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { FILLS, StackedBar } from '../parts/stacked-bar.tsx';
import { Sign } from '../parts/state.tsx';
import { type StatesOf, stateWord, toneOf } from '../words/states.ts';

export type Totals = Answer<'getCampaign'>['totals'];
export type Bin = StatesOf['recipient'];

/** From finished to not begun. */
const BINS: readonly Bin[] = [
  'sent',
  'unknown',
  'failed',
  'skipped',
  'expired',
  'cancelled',
  'sending',
  'held',
  'queued',
];

const fillOf = (bin: Bin): string => (bin === 'queued' ? 'fill-line' : FILLS[toneOf('recipient', bin)]);

export function Bar({ totals }: { readonly totals: Totals }) {
  const words = useWords();
  const shown = BINS.filter((bin) => totals[bin] > 0);
  const said = shown.map((bin) => `${stateWord(words.states, 'recipient', bin)}: ${countIn(words, totals[bin])}`);
  return (
    <StackedBar
      parts={shown.map((bin) => ({ name: bin, count: totals[bin], fill: fillOf(bin) }))}
      label={said.join(', ') || words.pages.campaign.none}
    />
  );
}

interface BinsProps {
  readonly totals: Totals;
  readonly chosen: Bin | undefined;
  readonly choose: (bin: Bin | undefined) => void;
}

/** The figures and their sum. Each leads to its recipients. */
export function Bins({ totals, chosen, choose }: BinsProps) {
  const { states, pages } = useWords();
  const says = pages.campaign;
  const shown = BINS.filter((bin) => totals[bin] > 0 || bin === 'sent' || bin === 'failed' || bin === 'unknown');
  return (
    <ul className="mt-4 flex flex-wrap gap-2">
      {shown.map((bin) => (
        <li key={bin} className="min-w-32 flex-1 sm:min-w-40">
          <button
            type="button"
            aria-pressed={chosen === bin}
            data-bin={bin}
            className="h-full w-full rounded-lg border border-line px-3 py-2 text-left hover:bg-sunk aria-pressed:border-accent aria-pressed:bg-accent-soft"
            onClick={() => choose(chosen === bin ? undefined : bin)}
          >
            <span className="flex items-center gap-2 text-sm text-quiet">
              <Sign tone={toneOf('recipient', bin)} /> {stateWord(states, 'recipient', bin)}
            </span>
            <span className="text-xl font-semibold">
              <Count value={totals[bin]} />
            </span>
          </button>
        </li>
      ))}
      <li className="flex w-full items-baseline justify-between rounded-lg bg-sunk px-3 py-2" data-bin="total">
        <span className="block text-sm text-quiet">{says.everybody}</span>
        <span className="text-xl font-semibold">
          <Count value={totals.total} />
        </span>
      </li>
    </ul>
  );
}
