/** The final text: the first rows, the longest, the most expensive, and any requested row. */
import { type FormEvent, useId, useState } from 'react';
import { countIn } from '../parts/figures.tsx';
import { Arrow } from '../parts/arrow.tsx';
import { useWords } from '../parts/language.tsx';
import { type Draft, type Report, useMaking } from './make-draft.ts';
import type { Rendered } from './make-rendered.ts';

type Shown = NonNullable<Report['preview']>[number];

interface PreviewProps {
  readonly draft: Draft;
  readonly row: Shown | undefined;
  readonly now: Rendered;
  readonly show: (row: Shown) => void;
}

export function Preview({ draft, row, now, show }: PreviewProps) {
  const words = useWords();
  const { says } = useMaking();
  const rows = draft.kept.report?.preview ?? [];
  const at = rows.findIndex((one) => one.row === row?.row);
  const step = (by: number): void => {
    const next = rows[(at + by + rows.length) % rows.length];
    if (next) show(next);
  };
  const text = now.is === 'text' ? now.text : '';
  return (
    <>
      <h2 className="mb-2 text-lg font-semibold">{says.text.preview}</h2>
      {row && (
        <p className="mb-2 text-sm text-quiet" data-shown={row.row}>
          {says.text.whose(countIn(words, row.row), row.to)} ({row.why.map((one) => says.text.why[one]).join(', ')})
        </p>
      )}
      <p
        className="max-w-md rounded-2xl rounded-bl-sm bg-sunk px-4 py-3 break-words whitespace-pre-wrap"
        data-preview=""
      >
        {text === '' ? <span className="text-quiet">{says.text.empty}</span> : text}
      </p>
      <div className="mt-3 flex flex-wrap items-end gap-3">
        {rows.length > 1 && (
          <>
            <button type="button" className="button" onClick={() => step(-1)}>
              <Arrow to="left" /> {says.text.previous}
            </button>
            <button type="button" className="button" onClick={() => step(1)}>
              {says.text.following} <Arrow to="right" />
            </button>
          </>
        )}
        {draft.kept.keptAt !== null && <AnyRow draft={draft} show={show} />}
      </div>
      {row?.values && <Values values={row.values} />}
    </>
  );
}

/** Any row of the file, by its spreadsheet number. */
function AnyRow({ draft, show }: Pick<PreviewProps, 'draft' | 'show'>) {
  const words = useWords();
  const { says } = useMaking();
  const { judge, isUnderWay } = draft.judging;
  const field = useId();
  const [row, setRow] = useState('');
  const [absent, setAbsent] = useState<number>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const report = await judge(draft.wishes, Number(row));
    const found = report?.preview?.find((one) => one.row === Number(row));
    setAbsent(found || !report ? undefined : Number(row));
    if (found) show(found);
  };
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={(event) => void submit(event)}>
      <div>
        <label htmlFor={field} className="mb-1 block text-sm">
          {says.text.rowLabel}
        </label>
        <input
          id={field}
          type="number"
          min={2}
          step={1}
          required
          className="field w-32"
          value={row}
          onChange={({ target }) => setRow(target.value)}
        />
      </div>
      <button type="submit" className="button" data-show-row="" disabled={isUnderWay}>
        {says.text.show}
      </button>
      <p role="status" className="w-full text-sm text-quiet empty:hidden">
        {absent !== undefined && says.text.noRow(countIn(words, absent))}
      </p>
    </form>
  );
}

function Values({ values }: { readonly values: Readonly<Record<string, string>> }) {
  const { says } = useMaking();
  return (
    <details className="mt-4">
      <summary className="font-medium">{says.text.values}</summary>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {Object.entries(values).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="break-words">{value === '' ? '–' : value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
