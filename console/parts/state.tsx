/** A state as icon, word and colour, so that no single one is required. */
import { type Kind, type Tone, stateWord, toneOf } from '../words/states.ts';
import { useWords } from './language.tsx';

const SIGNS: Readonly<Record<Tone, string>> = {
  done: 'M3 8.5 6.5 12 13 4.5',
  bad: 'M4 4l8 8M12 4l-8 8',
  uncertain: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.8-1.1 1.8M8 13v.2',
  moving: 'M3 8h9M8.5 4.5 12 8l-3.5 3.5',
  asks: 'M8 3v6.5M8 12.7v.3',
  held: 'M5.5 4v8M10.5 4v8',
  off: 'M4 8h8',
};

const COLOURS: Readonly<Record<Tone, string>> = {
  done: 'bg-done-soft text-done',
  bad: 'bg-bad-soft text-bad',
  uncertain: 'bg-uncertain-soft text-uncertain',
  moving: 'bg-moving-soft text-moving',
  asks: 'bg-asks-soft text-asks',
  held: 'bg-held-soft text-held',
  off: 'bg-off-soft text-off',
};

export function Sign({ tone }: { readonly tone: Tone }) {
  return (
    <svg viewBox="0 0 16 16" className="size-3.5 shrink-0" aria-hidden="true" fill="none" stroke="currentColor">
      <path d={SIGNS[tone]} strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

interface StateProps {
  readonly kind: Kind;
  readonly state: string;
  readonly large?: boolean;
}

export function State({ kind, state, large = false }: StateProps) {
  const { states } = useWords();
  return <StateSign tone={toneOf(kind, state)} word={stateWord(states, kind, state)} state={state} large={large} />;
}

interface SignProps {
  readonly tone: Tone;
  readonly word: string;
  readonly state: string;
  /** The icon's tone, if it differs from the colour. */
  readonly sign?: Tone;
  readonly large?: boolean;
}

/** For a display that does not follow from the state alone. */
export function StateSign({ tone, word, state, sign = tone, large = false }: SignProps) {
  const size = large ? 'px-3 py-1.5 text-lg font-semibold' : 'px-2 py-0.5 text-sm font-medium';
  return (
    <span
      data-tone={tone}
      data-state={state}
      className={`inline-flex items-center gap-1.5 rounded-full whitespace-nowrap ${size} ${COLOURS[tone]}`}
    >
      <Sign tone={sign} />
      {word}
    </span>
  );
}
