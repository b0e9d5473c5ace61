/** Timeline of an operation. */
import type { Asked } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { Moment, countIn } from '../parts/figures.tsx';
import { useChoice, useWords } from '../parts/language.tsx';
import { Read, Section } from '../parts/page.tsx';
import { runsOf } from '../parts/runs.ts';

export function Story({ id }: { readonly id: string }) {
  const { pages } = useWords();
  const { language } = useChoice();
  const says = pages.operation;
  // Each language has its own answer.
  const story = useAsk('explain', { id, language } as Asked<'explain'>, { everyMs: 15_000 });
  return (
    <Section title={says.story}>
      <Read of={story}>
        {({ summary, story: chapters, nextLook }) => (
          <>
            <p className="mb-4">{summary}</p>
            <ol className="relative ml-1.5 border-l-2 border-line">
              {runsOf(chapters, ({ what }) => what).map(({ all, all: [{ at, what }] }, index) => (
                <li key={`${at}${what}${String(index)}`} className="relative mb-4 pl-5 last:mb-0">
                  <span
                    className="absolute top-2 -left-[0.4rem] size-2.5 rounded-full bg-accent"
                    aria-hidden="true"
                  />
                  <span className="block first-letter:uppercase">{what}</span>
                  {at !== '' && (
                    <span className="text-sm text-quiet">
                      <When all={all} />
                    </span>
                  )}
                </li>
              ))}
            </ol>
            {nextLook !== null && (
              <p className="mt-4 text-quiet">
                {says.nextLook} <Moment at={nextLook} seconds />
              </p>
            )}
          </>
        )}
      </Read>
    </Section>
  );
}

/** Its time; of several, the first and the last. */
export function When({ all }: { readonly all: readonly { readonly at: string }[] }) {
  const words = useWords();
  const [first, last] = [all.at(0), all.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <>
      <Moment at={first.at} seconds />
      {all.length > 1 && (
        <>
          {' – '}
          <Moment at={last.at} seconds /> · {words.pages.operation.times(countIn(words, all.length))}
        </>
      )}
    </>
  );
}
