/** A statement against what relais paid: what matches, and what is left over on either side. */
import { useState } from 'react';
import { Link } from 'wouter';
import { useAct } from '../asking/acts.ts';
import type { Answer, Asked } from '../asking/ask.ts';
import { asRead } from '../asking/file.ts';
import { pageOf } from '../asking/kinds.ts';
import { Ended } from '../parts/act.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { Labelled } from '../parts/field.tsx';
import { FileField } from '../parts/file-field.tsx';
import { Moment, Money, countIn, dayIn } from '../parts/figures.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Sign, State } from '../parts/state.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';
import type { Kind } from '../words/states.ts';
import { kindOf } from '../asking/kinds.ts';

type Answered = Answer<'createReconciliation'>;
type Result = NonNullable<Answered['result']>;

const COLUMNS = [
  ['transactionId', 'transactionColumn'],
  ['amount', 'amountColumn'],
  ['date', 'dateColumn'],
] as const;
type ColumnName = (typeof COLUMNS)[number][1];
type Said = Readonly<Partial<Record<ColumnName | 'sheet', string>>>;

export function Reconcile() {
  const { reconcile: says } = useFormWords();
  const { act, end, isUnderWay } = useAct('createReconciliation');
  const [file, setFile] = useState<File>();
  const [said, setSaid] = useState<Said>({});
  const [answer, setAnswer] = useState<Answered>();
  const read = async (chosen: File, how: Said): Promise<void> => {
    setFile(chosen);
    setSaid(how);
    setAnswer(await act({ ...how, file: asRead(chosen) }));
  };
  const asked = file && ({ ...said, file: asRead(file) } as Asked<'createReconciliation'>);
  return (
    <Page title={says.title}>
      <section className="sheet mb-5 p-5">
        <FileField
          label={file ? says.another : says.drop}
          hint={says.hint}
          onFile={(chosen) => void read(chosen, {})}
        />
        {file && (
          <p className="mt-3 flex flex-wrap gap-x-3 font-medium" data-file={file.name}>
            {file.name}
            {isUnderWay && (
              <span role="status" className="text-moving">
                {says.reading}
              </span>
            )}
          </p>
        )}
        {end?.is !== 'done' && <Ended end={end} />}
      </section>
      {file && answer && <Columns answer={answer} choose={(more) => void read(file, { ...said, ...more })} />}
      {asked && answer?.result && <Found result={answer.result} asked={asked} name={file.name} />}
      {answer && answer.result === null && Object.values(answer.columns).every((one) => one !== null) && (
        <Section title={says.titles.unreadable}>
          <Unreadable rows={answer.unreadable} />
        </Section>
      )}
    </Page>
  );
}

interface ColumnsProps {
  readonly answer: Answered;
  readonly choose: (said: Said) => void;
}

function Columns({ answer: { headings, columns, sheet, otherSheets }, choose }: ColumnsProps) {
  const { reconcile: says, file } = useFormWords();
  return (
    <Section title={file.columns}>
      <div className="grid gap-x-5 gap-y-4 sm:grid-cols-3">
        {otherSheets.length > 0 && (
          <div>
            <Labelled label={file.sheet}>
              {(told) => (
                <select {...told} value={sheet ?? ''} onChange={({ target }) => choose({ sheet: target.value })}>
                  {[sheet ?? '', ...otherSheets].map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              )}
            </Labelled>
          </div>
        )}
        {COLUMNS.map(([name, query]) => (
          <div key={name}>
            <Labelled label={says.columns[name]} wrong={columns[name] === null ? says.choose : undefined}>
              {(told) => (
                <select
                  {...told}
                  data-column={name}
                  value={columns[name] ?? ''}
                  onChange={({ target }) => choose({ [query]: target.value })}
                >
                  <option value="">{file.none}</option>
                  {headings.map((heading) => (
                    <option key={heading}>{heading}</option>
                  ))}
                </select>
              )}
            </Labelled>
          </div>
        ))}
      </div>
    </Section>
  );
}

interface FoundProps {
  readonly result: Result;
  readonly asked: Asked<'createReconciliation'>;
  readonly name: string;
}

function Found({ result, asked, name }: FoundProps) {
  const words = useWords();
  const { reconcile: says } = useFormWords();
  const { from, to, matched, onlyOurs, onlyTheirs, differentAmount, unreadable } = result;
  const left = [onlyOurs, onlyTheirs, differentAmount, unreadable].reduce((sum, { length }) => sum + length, 0);
  return (
    <>
      <section
        className={`mb-5 rounded-xl border p-5 ${left === 0 ? 'border-line bg-done-soft' : 'border-line bg-sheet'}`}
        data-reconciled={left}
      >
        <p className="mb-3 text-quiet">{says.days(dayIn(words, from), dayIn(words, to))}</p>
        <p
          className="flex flex-wrap items-center gap-x-3 text-lg font-semibold text-done"
          data-matched={matched.count}
        >
          <Sign tone="done" /> {says.matched(countIn(words, matched.count))} · <Money xof={matched.xof} />
        </p>
        <LeftOver result={result} />
        {left > 0 && (
          <div className="mt-4">
            <DownloadButton
              id="createReconciliation"
              asked={asked}
              name={`${name.replace(/\.\w{1,6}$/, '')}-${says.fileName}.csv`}
              label={says.download}
            />
          </div>
        )}
      </section>
      {onlyOurs.length > 0 && <OnlyOurs rows={onlyOurs} />}
      {onlyTheirs.length > 0 && <OnlyTheirs rows={onlyTheirs} />}
      {differentAmount.length > 0 && <Different rows={differentAmount} />}
      {unreadable.length > 0 && (
        <Section title={says.titles.unreadable}>
          <Unreadable rows={unreadable} />
        </Section>
      )}
    </>
  );
}

function LeftOver({ result: { onlyOurs, onlyTheirs, differentAmount, unreadable } }: Pick<FoundProps, 'result'>) {
  const words = useWords();
  const { reconcile: says } = useFormWords();
  return (
    <ul className="mt-2 flex flex-wrap gap-x-6 gap-y-1">
      {(
        [
          ['onlyOurs', onlyOurs.length],
          ['onlyTheirs', onlyTheirs.length],
          ['differentAmount', differentAmount.length],
          ['unreadable', unreadable.length],
        ] as const
      ).map(([of, count]) => (
        <li key={of} className={count === 0 ? 'text-quiet' : 'font-medium text-uncertain'} data-of={of}>
          {says.left(says.titles[of], countIn(words, count))}
        </li>
      ))}
    </ul>
  );
}

function OnlyOurs({ rows }: { readonly rows: Result['onlyOurs'] }) {
  const { reconcile: says } = useFormWords();
  const { heads } = says;
  return (
    <Section title={says.titles.onlyOurs}>
      <p className="mb-3 text-quiet">{says.means.onlyOurs}</p>
      <Table
        caption={says.titles.onlyOurs}
        columns={[
          { name: heads.payment },
          { name: heads.transaction, wide: true },
          { name: heads.amount, right: true },
          { name: heads.date, wide: true },
        ]}
      >
        {rows.map(({ id, reference, transactionId, amount, at }) => (
          <Line key={id} data-row={id}>
            <Cell>
              <Link to={pageOf(id)} className="link wrap-anywhere">
                {reference ?? id}
              </Link>
            </Cell>
            <Cell wide>{transactionId ?? '–'}</Cell>
            <Cell right>
              <Money xof={amount} />
            </Cell>
            <Cell wide>
              <Moment at={at} />
            </Cell>
          </Line>
        ))}
      </Table>
    </Section>
  );
}

function OnlyTheirs({ rows }: { readonly rows: Result['onlyTheirs'] }) {
  const words = useWords();
  const { reconcile: says } = useFormWords();
  const { heads } = says;
  return (
    <Section title={says.titles.onlyTheirs}>
      <p className="mb-3 text-quiet">{says.means.onlyTheirs}</p>
      <Table
        caption={says.titles.onlyTheirs}
        columns={[
          { name: heads.row, wide: true },
          { name: heads.transaction },
          { name: heads.amount, right: true },
          { name: heads.here, wide: true },
        ]}
      >
        {rows.map(({ row, transactionId, amount, here }) => (
          <Line key={row} data-row={String(row)}>
            <Cell wide>{countIn(words, row)}</Cell>
            <Cell>
              <span className="wrap-anywhere">{transactionId}</span>
            </Cell>
            <Cell right>
              <Money xof={amount} />
            </Cell>
            <Cell wide>
              {here ? (
                <Link to={pageOf(here.id)} className="link inline-flex items-center gap-2">
                  <State kind={(kindOf(here.id) ?? 'disbursement') as Kind} state={here.state} />
                </Link>
              ) : (
                says.unknown
              )}
            </Cell>
          </Line>
        ))}
      </Table>
    </Section>
  );
}

function Different({ rows }: { readonly rows: Result['differentAmount'] }) {
  const { reconcile: says } = useFormWords();
  const { heads } = says;
  return (
    <Section title={says.titles.differentAmount}>
      <Table
        caption={says.titles.differentAmount}
        columns={[
          { name: heads.payment },
          { name: heads.transaction, wide: true },
          { name: heads.theirs, right: true },
          { name: heads.ours, right: true },
        ]}
      >
        {rows.map(({ row, id, reference, transactionId, amount, ours }) => (
          <Line key={row} data-row={String(row)}>
            <Cell>
              <Link to={pageOf(id)} className="link wrap-anywhere">
                {reference ?? id}
              </Link>
            </Cell>
            <Cell wide>{transactionId}</Cell>
            <Cell right>
              <Money xof={amount} />
            </Cell>
            <Cell right>
              <Money xof={ours} />
            </Cell>
          </Line>
        ))}
      </Table>
    </Section>
  );
}

function Unreadable({ rows }: { readonly rows: Answered['unreadable'] }) {
  const words = useWords();
  const { approvals } = words.pages;
  return (
    <ul className="space-y-2">
      {rows.map(({ row, problem }) => (
        <li key={row} className="rounded-lg bg-bad-soft px-3 py-2 text-bad">
          {approvals.row(countIn(words, row))} {problem}
        </li>
      ))}
    </ul>
  );
}
