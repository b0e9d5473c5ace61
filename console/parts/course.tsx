/** A figure over time: a line, with its lowest and highest value and both ends of the time as text. */
import { moneyIn, momentIn } from './figures.tsx';
import { useWords } from './language.tsx';

export interface Point {
  /** ms since the epoch. */
  readonly at: number;
  /** null: unknown, and the line has a gap. */
  readonly xof: number | null;
}

const [WIDTH, HEIGHT] = [600, 120];

/** Oldest first. */
export function Course({ points, label }: { readonly points: readonly Point[]; readonly label: string }) {
  const words = useWords();
  const known = points.flatMap(({ xof }) => (xof === null ? [] : [xof]));
  const [first, last] = [points[0], points.at(-1)];
  if (known.length < 2 || first === undefined || last === undefined) return null;
  const [low, high] = known.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [
    Infinity,
    -Infinity,
  ] as readonly [number, number]);
  const said = words.desk.balances.course(moneyIn(words, low), moneyIn(words, high));
  const time = (at: number): string => momentIn(words, new Date(at), new Date());
  return (
    <figure className="my-3">
      <svg
        viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
        className="h-32 w-full text-accent"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${said}`}
      >
        <path
          d={pathOf(points, { low, high })}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="flex flex-wrap justify-between gap-x-4 text-sm text-quiet">
        <span>{time(first.at)}</span>
        <span className="order-last w-full text-center sm:order-none sm:w-auto">{said}</span>
        <span>{time(last.at)}</span>
      </figcaption>
    </figure>
  );
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** A balance is valid until the next reading, so the line has steps. */
function pathOf(points: readonly Point[], { low, high }: Range): string {
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1];
  const across = (at: number): number => ((at - from) / Math.max(1, to - from)) * WIDTH;
  const down = (xof: number): number => (high === low ? HEIGHT / 2 : ((high - xof) / (high - low)) * HEIGHT);
  let isGap = true;
  return points
    .map(({ at, xof }) => {
      const step = xof === null ? `H${across(at).toFixed(1)}` : `H${across(at).toFixed(1)}V${down(xof).toFixed(1)}`;
      const path = isGap ? (xof === null ? '' : `M${across(at).toFixed(1)} ${down(xof).toFixed(1)}`) : step;
      isGap = xof === null;
      return path;
    })
    .join('');
}
