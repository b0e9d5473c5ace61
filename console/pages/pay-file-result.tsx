/** The payments of a file, its refused rows with reasons, and the questions for the user. */
import { Count, Money, countIn } from '../parts/figures.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';
import { Wallet, walletIn } from '../parts/wallet.tsx';
import { Funds } from './approval-money.tsx';
import { Problems, Sums, Warnings } from './approval-batch.tsx';
import type { Checked, FileDraft } from './pay-file-draft.ts';

interface ResultProps {
  readonly draft: FileDraft;
  readonly checked: Checked;
}

export function Result({ draft, checked }: ResultProps) {
  const { file: says } = useFormWords();
  const { totals, sample } = checked;
  const needs = Object.fromEntries(Object.entries(totals.countries).map(([country, { xof }]) => [country, xof]));
  return (
    <>
      <Figures checked={checked} />
      <Questions draft={draft} checked={checked} />
      {isMapped(checked) && <Problems batch={{ ...checked, problems: named(checked, says.fields) }} />}
      {totals.count > 0 && (
        <Section title={says.result}>
          <Sums name={says.byWallet} sums={totals.modes} of={totals} nameOf={walletIn} />
        </Section>
      )}
      {sample.length > 0 && <Sample sample={sample} />}
      {totals.count > 0 && <Funds account={draft.said.account} needs={needs} />}
      {checked.warningCount > 0 && <Warnings batch={checked} />}
    </>
  );
}

/** A column as the file calls it, or as its field is called here. */
function named({ problems, table }: Checked, fields: Readonly<Record<string, string>>): Checked['problems'] {
  return problems.map((one) => {
    const { column } = one;
    return column === null ? one : { ...one, column: table?.fields[column] ?? fields[column] ?? column };
  });
}

/** Before that each row has the same problem, which is asked about above. */
const isMapped = ({ table }: Checked): boolean => table?.wallets.every(({ mode }) => mode !== null) ?? true;

function Figures({ checked }: Pick<ResultProps, 'checked'>) {
  const { totals, refusedRows, state } = checked;
  if (totals.count === 0 && !isMapped(checked)) return null;
  const words = useWords();
  const { file: says } = useFormWords();
  return (
    <section className="sheet mb-5 flex flex-wrap items-baseline gap-x-10 gap-y-2 p-5" data-checked={state}>
      <p>
        <span className="block text-3xl font-semibold">
          <Money xof={totals.xof} />
        </span>
        {says.payments(countIn(words, totals.count))}
      </p>
      {isMapped(checked) && refusedRows.length > 0 && (
        <p className="text-bad" data-refused={refusedRows.length}>
          <span className="block text-3xl font-semibold">
            <Count value={refusedRows.length} />
          </span>
          {says.refused(countIn(words, refusedRows.length)).replace(/^\S+ /, '')}
        </p>
      )}
    </section>
  );
}

function Questions({ draft, checked }: ResultProps) {
  const { questions } = checked;
  const refusedRows = isMapped(checked) && questions.length === 0 ? checked.refusedRows : [];
  const words = useWords();
  const { file: says } = useFormWords();
  const { said, say, form } = draft;
  const answers = {
    thousands: () => say({ thousands: true }),
    takeHidden: () => say({ takeHidden: true }),
    charset: (charset = '') => say({ charset }),
  };
  if (questions.length === 0 && refusedRows.length === 0 && said.leaveOut.length === 0) return null;
  return (
    <Section title={says.questions}>
      <ul className="divide-y divide-line">
        {questions.map(({ ask, rows, charset }) => (
          <li key={ask} className="py-3 first:pt-0" data-question={ask}>
            <p className="mb-2">{says.ask[ask](countIn(words, rows))}</p>
            <button
              type="button"
              className="button"
              data-decide={ask}
              disabled={form.isUnderWay}
              onClick={() => answers[ask](charset)}
            >
              {says.yes[ask]}
            </button>
          </li>
        ))}
        <LeaveOut draft={draft} refusedRows={refusedRows} />
      </ul>
    </Section>
  );
}

interface LeaveOutProps {
  readonly draft: FileDraft;
  readonly refusedRows: readonly number[];
}

function LeaveOut({ draft, refusedRows }: LeaveOutProps) {
  const words = useWords();
  const { file: says } = useFormWords();
  const { said, say, form } = draft;
  return (
    <>
      {refusedRows.length > 0 && (
        <li className="py-3 first:pt-0" data-question="leaveOut">
          <p className="mb-2">{says.leaveOutMeans}</p>
          <button
            type="button"
            className="button"
            data-decide="leaveOut"
            disabled={form.isUnderWay}
            onClick={() => say({ leaveOut: [...said.leaveOut, ...refusedRows] })}
          >
            {says.leaveOut(countIn(words, refusedRows.length))}
          </button>
        </li>
      )}
      {said.leaveOut.length > 0 && (
        <li
          className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0"
          data-left-out={said.leaveOut.length}
        >
          <span className="wrap-anywhere">{says.leftOut(said.leaveOut.join(', '))}</span>
          <button type="button" className="button" disabled={form.isUnderWay} onClick={() => say({ leaveOut: [] })}>
            {says.takeBack}
          </button>
        </li>
      )}
    </>
  );
}

function Sample({ sample }: Pick<Checked, 'sample'>) {
  const words = useWords();
  const { file: says } = useFormWords();
  const { row, name, phone, wallet, amount, reference } = says.columnsOfSample;
  return (
    <Section title={says.sample}>
      <Table
        caption={says.sample}
        columns={[
          { name: row, wide: true },
          { name },
          { name: phone },
          { name: wallet, wide: true },
          { name: amount, right: true },
          { name: reference, wide: true },
        ]}
      >
        {sample.map((one) => (
          <Line key={one.row} data-row={String(one.row)}>
            <Cell wide>{countIn(words, one.row)}</Cell>
            <Cell>{one.payeeName ?? '–'}</Cell>
            <Cell>{one.accountAlias}</Cell>
            <Cell wide>
              <Wallet mode={one.withdrawMode} />
            </Cell>
            <Cell right>
              <Money xof={one.amount} />
            </Cell>
            <Cell wide>{one.reference}</Cell>
          </Line>
        ))}
      </Table>
    </Section>
  );
}
