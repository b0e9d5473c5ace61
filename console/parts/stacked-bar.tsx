/** A bar whose parts add up to the total. */
import type { Tone } from '../words/states.ts';

export const FILLS: Readonly<Record<Tone, string>> = {
  done: 'fill-done',
  bad: 'fill-bad',
  uncertain: 'fill-uncertain',
  moving: 'fill-moving',
  asks: 'fill-asks',
  held: 'fill-held',
  off: 'fill-strong-line',
};

interface Part {
  readonly name: string;
  readonly count: number;
  /** A class that fills it. */
  readonly fill: string;
}

interface BarProps {
  readonly parts: readonly Part[];
  /** Text for screen readers. */
  readonly label: string;
}

const WIDTH = 1_000;

export function StackedBar({ parts, label }: BarProps) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  let at = 0;
  return (
    <svg
      viewBox={`0 0 ${String(WIDTH)} 10`}
      preserveAspectRatio="none"
      className="h-3 w-full overflow-hidden rounded-full bg-sunk"
      role="img"
      aria-label={label}
    >
      {parts.map(({ name, count, fill }) => {
        const from = at;
        at += total === 0 ? 0 : (count / total) * WIDTH;
        return <rect key={name} x={from} width={at - from} height="10" className={fill} />;
      })}
    </svg>
  );
}
