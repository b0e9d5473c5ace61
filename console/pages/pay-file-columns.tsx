/** Which column of the file is which, and which wallet a name in it means. */
import { Field, Labelled } from '../parts/field.tsx';
import { countIn } from '../parts/figures.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { FIELDS, type FieldName, type FileDraft, type Table } from './pay-file-draft.ts';
import { WalletField } from './pay-wallet.tsx';

interface PartProps {
  readonly draft: FileDraft;
  readonly table: Table;
}

/** A file that was written for relais has its columns under our names, and nothing is asked. */
const isOurs = ({ fields }: Table): boolean =>
  Object.keys(fields).length > 0 && Object.entries(fields).every(([field, heading]) => field === heading);

export function Columns({ draft, table }: PartProps) {
  const words = useWords();
  const { file: says } = useFormWords();
  const { said, say, type } = draft;
  if (isOurs(table)) return null;
  const titles = table.titleRows > 0 ? says.titleRows(countIn(words, table.titleRows)) : '';
  return (
    <Section title={says.columns}>
      <p className="mb-4 text-quiet">{says.columnsMeans(titles)}</p>
      {table.otherSheets.length > 0 && <SheetField draft={draft} table={table} />}
      <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
        {FIELDS.map((field) => (
          <div key={field}>
            <ColumnField draft={draft} table={table} field={field} />
            {field === 'withdrawMode' && table.fields['withdrawMode'] === undefined && (
              <div className="mt-3">
                <WalletField label={says.walletOfAll} value={said.wallet} set={(wallet) => say({ wallet })} />
              </div>
            )}
          </div>
        ))}
        <div>
          <Field
            label={says.prefix}
            hint={says.prefixHint(
              `${said.referencePrefix}-${table.fields['reference'] === undefined ? '2' : 'T-001'}`,
            )}
            value={said.referencePrefix}
            set={(referencePrefix) => type({ referencePrefix })}
            onBlur={() => say({})}
            autoComplete="off"
          />
        </div>
      </div>
    </Section>
  );
}

function SheetField({ draft, table: { sheet, otherSheets } }: PartProps) {
  const { file: says } = useFormWords();
  return (
    <div className="mb-4 max-w-xs">
      <Labelled label={says.sheet}>
        {(told) => (
          <select
            {...told}
            value={sheet ?? ''}
            onChange={({ target }) => draft.say({ sheet: target.value, columns: {}, leaveOut: [] })}
          >
            {[sheet ?? '', ...otherSheets].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}

function ColumnField({ draft, table, field }: PartProps & { readonly field: FieldName }) {
  const { file: says } = useFormWords();
  const { said, say, form } = draft;
  const problem = form.judged?.problems.find(
    ({ column, row }) => column === field && row !== null && table.fields[field] === undefined,
  );
  const choose = (heading: string): void => {
    const { [field]: _, ...others } = said.columns;
    say({ columns: heading === '' ? others : { ...others, [field]: heading } });
  };
  return (
    <Labelled label={says.fields[field]} wrong={problem?.reason}>
      {(told) => (
        <select
          {...told}
          data-column={field}
          value={table.fields[field] ?? ''}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{says.none}</option>
          {table.columns
            .filter((heading) => heading !== '')
            .map((heading) => (
              <option key={heading}>{heading}</option>
            ))}
        </select>
      )}
    </Labelled>
  );
}

/** No guesses: a name of an operator is no withdraw mode until a person says so. */
export function WalletNames({ draft, table: { wallets } }: PartProps) {
  const words = useWords();
  const { file: says } = useFormWords();
  const { said, say } = draft;
  if (wallets.length === 0) return null;
  return (
    <Section title={says.wallets}>
      <p className="mb-4 text-quiet">{says.walletsMeans}</p>
      <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
        {wallets.map(({ name, rows, mode }) => (
          <div key={name}>
            <WalletField
              label={says.walletRows(name, countIn(words, rows))}
              value={mode ?? ''}
              set={(chosen) => say({ wallets: { ...said.wallets, [name]: chosen } })}
            />
          </div>
        ))}
      </div>
    </Section>
  );
}
