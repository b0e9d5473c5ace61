/** A table: a phone omits less important columns. */
import type { ReactNode } from 'react';

interface Column {
  readonly name: string;
  /** Only on a wide screen. */
  readonly wide?: boolean;
  readonly right?: boolean;
}

interface TableProps {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly children: ReactNode;
}

export function Table({ caption, columns, children }: TableProps) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-sm text-quiet">
          <tr className="border-b border-line">
            {columns.map(({ name, wide = false, right = false }) => (
              <th key={name} scope="col" className={cellOf(wide, right)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function cellOf(wide: boolean, right: boolean): string {
  return `px-2 py-2 align-top ${right ? 'text-right' : 'text-left'} ${wide ? 'hidden md:table-cell' : ''}`;
}

interface CellProps {
  readonly wide?: boolean;
  readonly right?: boolean;
  readonly children: ReactNode;
}

export function Cell({ wide = false, right = false, children }: CellProps) {
  return <td className={cellOf(wide, right)}>{children}</td>;
}

export function Line({ children, ...named }: { readonly children: ReactNode; readonly 'data-row'?: string }) {
  return (
    <tr className="border-b border-line last:border-0" {...named}>
      {children}
    </tr>
  );
}
