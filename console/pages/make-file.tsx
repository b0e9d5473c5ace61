/** The file: dropped or chosen, uploaded with progress, then checked. */
import { useEffect, useId, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type End, endOf } from '../asking/acts.ts';
import { askAllAgain } from '../asking/stream.ts';
import { upload } from '../asking/upload.ts';
import { Ended } from '../parts/act.tsx';
import { Moment, countIn } from '../parts/figures.tsx';
import { FileField } from '../parts/file-field.tsx';
import { useWords } from '../parts/language.tsx';
import type { Draft } from './make-draft.ts';
import { useMaking } from './make-draft.ts';
import { Judged, Onward } from './make-parts.tsx';

interface Sending {
  readonly name: string;
  readonly share: number;
}

function useSending(id: string) {
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending>();
  const [end, setEnd] = useState<End>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const send = async (file: File): Promise<void> => {
    const controller = new AbortController();
    // The later of two files counts: the earlier upload must not arrive after it.
    stopping.current?.abort();
    stopping.current = controller;
    const isLast = (): boolean => stopping.current === controller;
    setEnd(undefined);
    setSending({ name: file.name, share: 0 });
    try {
      const onProgress = (share: number): void => setSending({ name: file.name, share });
      await upload({ id, name: file.name.slice(0, 100) }, file, { onProgress, signal: controller.signal });
      await askAllAgain(client);
    } catch (error) {
      if (isLast()) setEnd(endOf(error));
    } finally {
      if (isLast()) setSending(undefined);
    }
  };
  return { sending, end, send, stop: () => stopping.current?.abort() };
}

export function FileStep({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const { sending, end, send, stop } = useSending(draft.campaign.id);
  const { keptAt, report } = draft.kept;
  return (
    <>
      <section className="sheet p-5">
        <FileField
          label={keptAt === null ? says.file.drop : says.file.another}
          hint={says.file.hint}
          onFile={(file) => void send(file)}
        />
        {sending && <Progress sending={sending} stop={stop} />}
        {end?.is === 'not known' ? (
          <p role="alert" className="mt-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-end="not known">
            {says.file.stopped}
          </p>
        ) : (
          <Ended end={end} />
        )}
      </section>
      {keptAt !== null && !sending && (
        <div className="mt-5">
          <Found draft={draft} />
        </div>
      )}
      <Onward draft={draft} step="file" missing={report === null ? says.file.needed : undefined} />
    </>
  );
}

function Progress({ sending: { name, share }, stop }: { readonly sending: Sending; readonly stop: () => void }) {
  const words = useWords();
  const { says } = useMaking();
  const percent = Math.floor(share * 100);
  const said = says.file.uploading(name, countIn(words, percent));
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3" data-uploading={percent}>
      <progress className="h-3 flex-1 accent-accent" max={100} value={percent} aria-label={said} />
      <span className="text-sm">{said}</span>
      <button type="button" className="button" onClick={stop}>
        {says.file.stop}
      </button>
    </div>
  );
}

/** In the units of a file manager. */
function sizeIn(locale: string, bytes: number): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
}

function Found({ draft }: { readonly draft: Draft }) {
  const words = useWords();
  const { says } = useMaking();
  const { name, bytes, until, report } = draft.kept;
  return (
    <Judged draft={draft}>
      {report && (
        <section className="sheet p-5" data-found={report.total}>
          <h2 className="text-lg font-semibold">
            {says.file.kept(name ?? '', sizeIn(words.figures.locale, bytes ?? 0))}
          </h2>
          <p className="mt-1">{says.file.rows(countIn(words, report.total))}</p>
          <p className="mt-2 text-sm text-quiet">
            {says.file.columns}: {(report.columns ?? []).join(' · ')}
          </p>
          {(report.otherSheets?.length ?? 0) > 0 && <SheetChoice draft={draft} />}
          {until !== null && (
            <p className="mt-2 text-sm text-quiet">
              {says.file.until} <Moment at={until} />
            </p>
          )}
        </section>
      )}
    </Judged>
  );
}

function SheetChoice({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const field = useId();
  const { sheet = '', otherSheets = [] } = draft.kept.report ?? {};
  return (
    <div className="mt-3">
      <label htmlFor={field} className="mb-1 block">
        {says.file.otherSheets}
      </label>
      <select
        id={field}
        className="field max-w-64"
        value={sheet}
        onChange={({ target }) => void draft.judging.judge({ ...draft.wishes, sheet: target.value })}
      >
        {[sheet, ...otherSheets].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </div>
  );
}
