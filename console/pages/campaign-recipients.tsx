/** The recipients with one status, and the file of all of them with the columns of the upload. */
import { useAsk } from '../asking/queries.ts';
import { DownloadButton } from '../parts/download-button.tsx';
import { countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Read, Section } from '../parts/page.tsx';
import { Reason } from '../parts/reason.tsx';
import { State } from '../parts/state.tsx';
import { stateWord } from '../words/states.ts';
import type { Bin, Totals } from './campaign-bar.tsx';

interface RecipientsProps {
  readonly id: string;
  readonly name: string;
  readonly bin: Bin | undefined;
  readonly totals: Totals;
}

export function Recipients({ id, name, bin, totals }: RecipientsProps) {
  const words = useWords();
  const says = words.pages.campaign;
  const title = bin === undefined ? says.files : `${says.recipients}: ${stateWord(words.states, 'recipient', bin)}`;
  return (
    <Section title={title}>
      <div className="flex flex-wrap gap-3">
        {totals.failed > 0 && (
          <File id={id} bin="failed" name={name} label={says.fileOfFailed(countIn(words, totals.failed))} />
        )}
        {totals.unknown > 0 && (
          <File id={id} bin="unknown" name={name} label={says.fileOfUnknown(countIn(words, totals.unknown))} />
        )}
        {totals.total > 0 && (
          <File id={id} bin={undefined} name={name} label={says.fileOfAll(countIn(words, totals.total))} />
        )}
      </div>
      {totals.total === 0 && <p className="text-quiet">{says.nobody}</p>}
      {bin !== undefined && <First id={id} bin={bin} />}
    </Section>
  );
}

interface FileProps {
  readonly id: string;
  readonly bin: Bin | undefined;
  readonly name: string;
  readonly label: string;
}

function File({ id, bin, name, label }: FileProps) {
  const which = bin ?? 'all';
  return (
    <DownloadButton
      id="listRecipients"
      asked={{ id, ...(bin ? { state: bin } : {}) }}
      name={`${name}-${which}.csv`}
      {...{ label, which }}
    />
  );
}

function First({ id, bin }: { readonly id: string; readonly bin: Bin }) {
  const words = useWords();
  const says = words.pages.campaign;
  const recipients = useAsk(
    'listRecipients',
    { id, state: bin, limit: 20 },
    { everyMs: 5_000, keeps: true, least: 1 },
  );
  return (
    <Read of={recipients}>
      {({ items, next }) => (
        <>
          <ul className="mt-4 divide-y divide-line">
            {items.map(({ to, row, state, code, reason }) => (
              <li key={row} className="flex flex-wrap items-center justify-between gap-2 py-2">
                <span>
                  {to} <span className="text-sm text-quiet">{says.row(countIn(words, row))}</span>
                </span>
                <span className="flex flex-wrap items-center gap-3 text-sm">
                  {(reason ?? code) && <Reason word={reason ?? code ?? ''} />}
                  <State kind="recipient" state={state} />
                </span>
              </li>
            ))}
          </ul>
          {items.length === 0 && <p className="mt-4 text-quiet">{next === null ? says.nobodyNow : says.nobodyYet}</p>}
          {items.length > 0 && next !== null && <p className="mt-2 text-sm text-quiet">{says.firstOnly}</p>}
        </>
      )}
    </Read>
  );
}
