/** Jobs of the queue `intake` that were refused: programs may not notice, so operators do. */
import type { Answer } from '../asking/ask.ts';
import { pageOf } from '../asking/kinds.ts';
import { usePages } from '../asking/queries.ts';
import { Moment } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { Paged } from '../parts/paged.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';
import { Link } from 'wouter';

type Refused = Answer<'listIntake'>['items'][number];

export function RefusedRequests() {
  const { desk } = useWords();
  const says = desk.refused;
  const list = usePages('listIntake', {});
  return (
    <Section title={says.title}>
      <p className="mb-3 text-quiet">{says.lead}</p>
      <Paged of={list}>
        {(pages) => {
          const all = pages.flatMap(({ items }) => items);
          if (all.length === 0) return <p data-refused="none">{says.none}</p>;
          return (
            <Table
              caption={says.title}
              columns={[{ name: says.when }, { name: says.request }, { name: says.problems, wide: true }]}
            >
              {all.map((one) => (
                <One key={one.id} refused={one} />
              ))}
            </Table>
          );
        }}
      </Paged>
    </Section>
  );
}

function One({ refused }: { readonly refused: Refused }) {
  const { kinds, desk } = useWords();
  const { id, at, kind, account, reference, jobId, existingId } = refused;
  const named: Readonly<Record<string, string>> = kinds;
  return (
    <Line data-row={id}>
      <Cell>
        <Moment at={at} seconds />
      </Cell>
      <Cell>
        <span className="block md:min-w-56">{named[kind] ?? desk.refused.unknown}</span>
        <span className="block text-sm wrap-anywhere text-quiet">
          {[reference, account, jobId === undefined ? null : desk.refused.job(jobId)]
            .filter((one) => one !== null)
            .join(' · ')}
        </span>
        {existingId !== null && (
          <Link to={pageOf(existingId)} className="link block text-sm break-all">
            {existingId}
          </Link>
        )}
        <span className="block md:hidden">
          <Problems of={refused} />
        </span>
      </Cell>
      <Cell wide>
        <Problems of={refused} />
      </Cell>
    </Line>
  );
}

/** The API's texts in English: a developer searches for these words. */
function Problems({ of: { problems } }: { readonly of: Refused }) {
  return (
    <ul lang="en" className="text-sm break-words">
      {problems.map(({ pointer, message }) => (
        <li key={`${pointer} ${message}`}>
          {pointer !== '' && <code>{pointer}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
