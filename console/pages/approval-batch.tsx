/** A batch: its warnings, and its distribution. */
import type { Answer } from '../asking/ask.ts';
import { Count, Money, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import type { Words } from '../words/words.ts';
import { Section } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';

type Batch = Answer<'getBatch'>;

export function Warnings({
  batch: { warnings, warningCount },
}: {
  readonly batch: Pick<Batch, 'warnings' | 'warningCount'>;
}) {
  const says = useWords().pages.approvals;
  return (
    <Section title={says.unusual}>
      {warningCount === 0 ? (
        <p className="flex items-center gap-2 text-done">
          <Sign tone="done" /> {says.nothingUnusual}
        </p>
      ) : (
        <Findings list={warnings} count={warningCount} look="bg-uncertain-soft text-uncertain" />
      )}
    </Section>
  );
}

/** Why no row of it is paid. */
export function Problems({
  batch: { problems, problemCount },
}: {
  readonly batch: Pick<Batch, 'problems' | 'problemCount'>;
}) {
  const { paying } = useWords();
  if (problemCount === 0) return null;
  return (
    <Section title={paying.problems}>
      <Findings list={problems} count={problemCount} look="bg-bad-soft text-bad" />
    </Section>
  );
}

interface FindingsProps {
  readonly list: Batch['warnings'];
  readonly count: number;
  readonly look: string;
}

function Findings({ list, count, look }: FindingsProps) {
  const words = useWords();
  const says = words.pages.approvals;
  return (
    <ul className="space-y-2">
      {list.map(({ row, column, reason }) => (
        <li key={`${String(row)}${column ?? ''}${reason}`} className={`rounded-lg px-3 py-2 ${look}`}>
          {row === null ? '' : `${says.row(countIn(words, row))} `}
          {column === null ? '' : `${column}: `}
          {reason}
        </li>
      ))}
      {count > list.length && <li>{says.more(countIn(words, count - list.length))}</li>}
    </ul>
  );
}

interface SumsProps {
  readonly name: string;
  readonly sums: Readonly<Record<string, { readonly count: number; readonly xof: number }>>;
  readonly of: { readonly count: number; readonly xof: number };
  /** As text. */
  readonly nameOf: (words: Words, what: string) => string;
}

export function Sums({ name, sums, of, nameOf }: SumsProps) {
  const words = useWords();
  const { pages } = words;
  const says = pages.approvals;
  return (
    <table className="mb-4 w-full last:mb-0">
      <thead className="text-left text-sm text-quiet">
        <tr>
          <th scope="col">{name}</th>
          <th scope="col" className="pl-4 text-right">
            {says.payments}
          </th>
          <th scope="col" className="pl-4 text-right">
            {pages.today.amount}
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(sums).map(([what, { count, xof }]) => (
          <tr key={what}>
            <th scope="row" className="py-1 text-left font-normal">
              {nameOf(words, what)}
            </th>
            <td className="pl-4 text-right">
              <Count value={count} />
            </td>
            <td className="pl-4 text-right">
              <Money xof={xof} />
            </td>
          </tr>
        ))}
        <tr className="border-t border-line font-semibold">
          <th scope="row" className="py-1 text-left">
            {says.total}
          </th>
          <td className="pl-4 text-right">
            <Count value={of.count} />
          </td>
          <td className="pl-4 text-right">
            <Money xof={of.xof} />
          </td>
        </tr>
      </tbody>
    </table>
  );
}
