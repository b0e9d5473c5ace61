/** A table of operations, of one kind or of several: a phone shows the important columns. */
import { Link } from 'wouter';
import { type AnyRow, type Listed, pageOf, xofOf } from '../asking/kinds.ts';
import { Moment, Money } from './figures.tsx';
import { useWords } from './language.tsx';
import { batchSign } from './batch-sign.ts';
import { State, StateSign } from './state.tsx';

interface RowsProps {
  readonly caption: string;
  readonly rows: readonly AnyRow[];
  readonly kindOf: (row: AnyRow) => Listed;
  /** The link of a row; default: its page. */
  readonly to?: (row: AnyRow) => string;
  readonly withKind?: boolean;
}

const WIDE = 'hidden px-3 py-2 text-left md:table-cell';
const ALWAYS = 'px-3 py-2 text-left';

export function Rows({ caption, rows, kindOf, to = ({ id }) => pageOf(id), withKind = false }: RowsProps) {
  const { pages } = useWords();
  const { columns } = pages.operations;
  return (
    <div className="sheet overflow-x-auto">
      <table className="w-full border-collapse">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-sm text-quiet">
          <tr className="border-b border-line">
            <th scope="col" className={ALWAYS}>
              {columns.what}
            </th>
            <th scope="col" className={ALWAYS}>
              {columns.state}
            </th>
            <th scope="col" className={`${WIDE} text-right`}>
              {columns.amount}
            </th>
            <th scope="col" className={WIDE}>
              {columns.account}
            </th>
            <th scope="col" className={WIDE}>
              {columns.when}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} kind={kindOf(row)} to={to(row)} withKind={withKind} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly row: AnyRow;
  readonly kind: Listed;
  readonly to: string;
  readonly withKind: boolean;
}

function Row({ row, kind, to, withKind }: RowProps) {
  const words = useWords();
  const { kinds } = words;
  const xof = xofOf(row);
  const title = titleOf(row);
  const named = row.reference ?? row.id;
  return (
    <tr className="border-b border-line last:border-0 hover:bg-sunk" data-id={row.id}>
      <td className={`${ALWAYS} w-full max-w-0 md:w-auto md:max-w-64`}>
        <Link to={to} className="link block truncate font-medium">
          {title}
        </Link>
        <span className="block truncate text-sm text-quiet">
          {[...(withKind ? [kinds[kind]] : []), ...(named === title ? [] : [named])].join(' · ')}
        </span>
        <span className="block text-sm md:hidden">
          {xof !== undefined && <Money xof={xof} />}
          {xof !== undefined && row.createdAt !== undefined && ' · '}
          {row.createdAt !== undefined && <Moment at={row.createdAt} />}
        </span>
      </td>
      <td className={ALWAYS}>
        {kind === 'batch' ? (
          <StateSign {...batchSign(words, row)} state={row.state} />
        ) : (
          <State kind={kind} state={row.state} />
        )}
      </td>
      <td className={`${WIDE} text-right`}>{xof !== undefined && <Money xof={xof} />}</td>
      <td className={WIDE}>{row.account}</td>
      <td className={WIDE}>{row.createdAt !== undefined && <Moment at={row.createdAt} />}</td>
    </tr>
  );
}

/** The most recognisable name: a name, a number, and only then the program's reference. */
export function titleOf({ name, fileName, accountAlias, to, reference, id }: AnyRow): string {
  return name ?? fileName ?? accountAlias ?? to ?? reference ?? id;
}
