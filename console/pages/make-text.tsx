/** The text, with its length while it is written, and as any recipient sees it. */
import { useId, useRef, useState } from 'react';
import { canonicalName } from '../../src/lib/wording.ts';
import { Arrow } from '../parts/arrow.tsx';
import { countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { type Draft, type Report, useKeeping, useMaking } from './make-draft.ts';
import { Onward, Reading } from './make-parts.tsx';
import { Preview } from './make-preview.tsx';
import { Questions } from './make-people.tsx';
import { type Rendered, rendered } from './make-rendered.ts';

const MOST = 1_600;

export function TextStep({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const { campaign, kept } = draft;
  const keeping = useKeeping(campaign.id);
  const [text, setText] = useState(campaign.text);
  const [isCheaper, setCheaper] = useState(kept.replaceCostly);
  const [shown, setShown] = useState<NonNullable<Report['preview']>[number]>();
  const row = shown ?? kept.report?.preview?.[0];
  const link = kept.report?.stopLink?.characters;
  const now = rendered(text, { replaceCostly: isCheaper, values: row?.values, link });
  const write = (written: string): void => {
    setText(written);
    if (written.trim() !== '' && rendered(written, {}).is === 'text') keeping.change({ text: written });
  };
  const columns = kept.report?.columns ?? [];
  const faulty = now.is === 'unusable' ? says.text.unusable[now.why] : undefined;
  const missing = text.trim() === '' ? says.text.needed : faulty;
  return (
    <>
      <div className="grid gap-5 lg:grid-cols-2">
        <section className="sheet p-5">
          <Writing text={text} write={write} columns={columns} />
          <Unknown text={text} columns={columns} />
          <Size now={now} />
          <Costly
            now={now}
            text={text}
            report={kept.report}
            isCheaper={isCheaper}
            choose={(is) => {
              setCheaper(is);
              keeping.change({ replaceCostly: is });
            }}
          />
        </section>
        <section className="sheet p-5">
          {kept.keptAt !== null && kept.report === null && row === undefined ? (
            <Reading />
          ) : (
            <Preview draft={draft} row={row} now={now} show={setShown} />
          )}
        </section>
      </div>
      <StillOpen draft={draft} />
      <Onward draft={draft} step="text" missing={missing} keeping={keeping} />
    </>
  );
}

/** Open decisions caused by the text: missing values, and apparent variables. */
function StillOpen({ draft }: { readonly draft: Draft }) {
  const { report } = draft.kept;
  if (report === null || report.decisions.length === 0 || draft.campaign.text === '') return null;
  return (
    <div className="mt-5">
      <Questions draft={draft} report={report} />
    </div>
  );
}

interface WritingProps {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly columns: readonly string[];
}

function Writing({ text, write, columns }: WritingProps) {
  const { says } = useMaking();
  const field = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (column: string): void => {
    const { selectionStart: from, selectionEnd: to } = area.current ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    };
    write(`${text.slice(0, from)}{{${column}}}${text.slice(to)}`);
    area.current?.focus();
  };
  return (
    <>
      <label htmlFor={field} className="mb-1 block font-medium">
        {says.text.label}
      </label>
      <textarea
        ref={area}
        id={field}
        className="field min-h-40"
        maxLength={MOST}
        aria-describedby={`${field}-hint`}
        value={text}
        onChange={({ target }) => write(target.value)}
      />
      <p id={`${field}-hint`} className="mt-1 text-sm text-quiet">
        {says.text.hint}
      </p>
      {columns.length > 0 && (
        <ul aria-label={says.text.columns} className="mt-2 flex flex-wrap gap-2">
          {columns.map((column) => (
            <li key={column}>
              <button
                type="button"
                className="button px-3 text-sm"
                data-column={column}
                aria-label={says.text.insert(column)}
                onClick={() => insert(column)}
              >
                {`{{${column}}}`}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A variable without a column in the file. */
function Unknown({ text, columns }: Omit<WritingProps, 'write'>) {
  const { says } = useMaking();
  const now = rendered(text, {});
  if (now.is !== 'text' || columns.length === 0) return null;
  const known = new Set([...columns.map(canonicalName), 'stop']);
  const names = now.variables.filter((name) => !known.has(name) && !now.optional.has(name));
  if (names.length === 0) return null;
  return (
    <p role="alert" className="mt-3 rounded-lg bg-bad-soft px-3 py-2 text-bad" data-unknown={names.join(' ')}>
      {says.text.unknown(names.map((name) => `“${name}”`).join(', '))}
    </p>
  );
}

function Size({ now }: { readonly now: Rendered }) {
  const words = useWords();
  const { says } = useMaking();
  if (now.is === 'unusable')
    return (
      <p role="alert" className="mt-3 text-bad" data-unusable={now.why}>
        {says.text.unusable[now.why]}
      </p>
    );
  const { characters, segments, encoding } = now;
  const parts = says.text.parts(segments, countIn(words, segments));
  return (
    <p className="mt-3" data-segments={segments} data-encoding={encoding}>
      <strong>{says.text.size(countIn(words, characters), parts)}</strong>{' '}
      <span className="text-sm text-quiet">{encoding === 'GSM-7' ? says.text.gsm : says.text.ucs}</span>
    </p>
  );
}

interface CostlyProps {
  readonly now: Rendered;
  readonly text: string;
  readonly report: Report | null;
  readonly isCheaper: boolean;
  readonly choose: (is: boolean) => void;
}

/** Expensive characters, and the savings with plain ones: in this text, and in all of them. */
function Costly({ now, text, report, isCheaper, choose }: CostlyProps) {
  const words = useWords();
  const { says } = useMaking();
  const field = useId();
  const here = now.is === 'text' ? now.costly : [];
  const costly = report?.segments?.costly;
  const elsewhere =
    costly?.characters.filter(({ character }) => !here.some((one) => one.character === character)) ?? [];
  if ((here.length === 0 && elsewhere.length === 0 && !isCheaper) || text === '') return null;
  const savedHere = now.is === 'text' ? now.saved : 0;
  const money = costly?.estimatedXofSaved ? says.text.about(moneyIn(words, costly.estimatedXofSaved)) : '';
  return (
    <div className="mt-4 rounded-lg bg-uncertain-soft p-3 text-ink" data-costly={here.length}>
      <p className="font-medium">{says.text.outside}</p>
      <p className="my-1 flex flex-wrap gap-x-4">
        {[...here, ...elsewhere].slice(0, 12).map(({ character, replacement }) => (
          <span key={character}>
            {character} <Arrow to="right" /> {replacement || says.text.nothingInstead}
          </span>
        ))}
      </p>
      <label htmlFor={field} className="mt-2 flex min-h-11 items-center gap-2">
        <input
          id={field}
          type="checkbox"
          className="size-5 shrink-0 accent-accent"
          checked={isCheaper}
          onChange={({ target }) => choose(target.checked)}
        />
        {says.text.replaceCostly}
        {savedHere > 0 && ` (${says.text.savesHere(says.text.parts(savedHere, countIn(words, savedHere)))})`}
      </label>
      {!isCheaper && (costly?.segmentsSaved ?? 0) > 0 && (
        <p className="text-sm" data-saves={costly?.segmentsSaved}>
          {says.text.saves(countIn(words, costly?.segmentsSaved ?? 0), money)}
        </p>
      )}
    </div>
  );
}
