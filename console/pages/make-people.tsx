/** Recipients and skipped rows: the file's problems as decisions, each with its rows. */
import { useId, useState } from 'react';
import { filled } from '../../src/messages/said.ts';
import { useAct } from '../asking/acts.ts';
import { Ended } from '../parts/act.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { COUNTRIES, type Draft, type Report, type Wishes, countryNames, queryOf, useMaking } from './make-draft.ts';
import { Judged, Onward, Reading } from './make-parts.tsx';

type Question = Report['decisions'][number];
type Detail = NonNullable<NonNullable<Report['reasons']>[string]['examples'][number]['detail']>;
type FileSays = ReturnType<typeof useMaking>['fileSays'];
type AboutText = keyof FileSays['decide']['inText'];

const isAboutText = (reason: string, { decide }: FileSays): reason is AboutText => reason in decide.inText;
function describedIn({ details }: FileSays, { code, values }: Detail): string {
  const known: Readonly<Record<string, string>> = details;
  return filled(known[code] ?? '', values).replaceAll('\n', '↵');
}

const isDoubtfulValue = (reason: string): boolean => reason === 'no_value' || reason === 'damaged_value';

export function PeopleStep({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const open = draft.kept.report?.decisions.length ?? 0;
  return (
    <>
      <Judged draft={draft}>{draft.kept.report && <People draft={draft} report={draft.kept.report} />}</Judged>
      <Onward draft={draft} step="people" missing={open > 0 ? says.cost.open : undefined} />
    </>
  );
}

interface PeopleProps {
  readonly draft: Draft;
  readonly report: Report;
}

function People({ draft, report }: PeopleProps) {
  const { says } = useMaking();
  return (
    <>
      <Sums report={report} />
      <Questions draft={draft} report={report} />
      <LeftOut draft={draft} report={report} />
      {draft.judging.isUnderWay && (
        <div className="fixed inset-x-4 bottom-4 mx-auto max-w-md">
          <Reading />
        </div>
      )}
      <p className="sr-only" role="status">
        {report.decisions.length === 0 ? says.people.nothing : says.cost.open}
      </p>
    </>
  );
}

function Sums({ report: { total, recipients, skipped } }: { readonly report: Report }) {
  const words = useWords();
  const { says } = useMaking();
  return (
    <section className="sheet mb-5 flex flex-wrap gap-x-10 gap-y-3 p-5" data-recipients={recipients}>
      {(
        [
          [recipients, says.people.get, 'text-done'],
          [skipped, says.people.leftOut, skipped > 0 ? 'text-held' : ''],
        ] as const
      ).map(([count, what, look]) => (
        <p key={what}>
          <span className={`block text-3xl font-semibold ${look}`}>{countIn(words, count)}</span> {what}
        </p>
      ))}
      <p className="self-end text-quiet">{says.people.ofRows(countIn(words, total))}</p>
    </section>
  );
}

export function Questions({ draft, report }: PeopleProps) {
  const { says } = useMaking();
  const { leaveOut, repair, takeHidden, take = [], asWritten } = draft.wishes;
  const { country } = draft.kept;
  const isAnyDecided =
    [leaveOut, repair, take].some(({ length }) => length > 0) || takeHidden || asWritten || country !== null;
  return (
    <>
      <Section title={says.people.decide}>
        {report.decisions.length === 0 ? (
          <p data-decided="">{says.people.nothing}</p>
        ) : (
          <ul className="divide-y divide-line">
            {report.decisions.map((one) => (
              <li key={one.reason} className="py-4 first:pt-0 last:pb-0" data-question={one.reason}>
                <Asking draft={draft} question={one} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      {isAnyDecided && <Decided draft={draft} />}
    </>
  );
}

/** The number of affected rows, with the command's text. */
function useQuestion() {
  const words = useWords();
  const { fileSays, says } = useMaking();
  const known: Readonly<Record<string, (count: number) => string>> = fileSays.decide.reasons;
  return ({ reason, rows, meant = [] }: Question): string => {
    if (isAboutText(reason, fileSays)) {
      const said = fileSays.decide.inText[reason];
      return meant.map((one) => said(one.written, one.meant?.replaceAll('\n', '↵'))).join('; ');
    }
    return known[reason]?.(rows) ?? `${says.people.ofRows(countIn(words, rows))}: ${reason}`;
  };
}

function Asking({ draft, question }: { readonly draft: Draft; readonly question: Question }) {
  const { says, fileSays } = useMaking();
  const asked = useQuestion();
  const { judging, wishes, kept } = draft;
  const { reason } = question;
  const { take = [] } = wishes;
  const decide = (more: Partial<Wishes>): void => void judging.judge({ ...wishes, ...more });
  return (
    <>
      <h3 className="font-medium">{asked(question)}</h3>
      <Examples report={kept.report} reason={reason} />
      <div className="flex flex-wrap items-end gap-3">
        {reason === 'no_country' && <CountryChoice draft={draft} />}
        {reason === 'old_numbering' && (
          <Choice
            name="renew"
            label={says.people.renew}
            draft={draft}
            onYes={() => decide({ repair: ['CI', 'BJ'] })}
          />
        )}
        {reason === 'hidden_row' && (
          <Choice name="take" label={says.people.takeIn} draft={draft} onYes={() => decide({ takeHidden: true })} />
        )}
        {isDoubtfulValue(reason) && (
          <Choice
            name="take-values"
            label={says.people.takeValues}
            draft={draft}
            onYes={() => decide({ take: [...take, reason] })}
          />
        )}
        {isAboutText(reason, fileSays) ? (
          <TextChoice draft={draft} question={question} />
        ) : (
          <Choice
            name="leave-out"
            label={says.people.leaveOut}
            draft={draft}
            onYes={() => decide({ leaveOut: [...wishes.leaveOut, reason] })}
          />
        )}
      </div>
    </>
  );
}

function Examples({ report, reason }: { readonly report: Report | null; readonly reason: string }) {
  const { says, fileSays } = useMaking();
  const examples = report?.reasons?.[reason]?.examples ?? [];
  return (
    <ul className="my-2 text-sm text-quiet">
      {examples.slice(0, 3).map(({ row, to, column, detail }) => (
        <li key={row}>
          {says.people.row(String(row))} {to === '' ? '–' : to}
          {column === undefined ? '' : ` (${column})`}
          {isDoubtfulValue(reason) && detail ? `: ${describedIn(fileSays, detail)}` : ''}
        </li>
      ))}
    </ul>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly draft: Draft;
  readonly onYes: () => void;
}

function Choice({ name, label, draft, onYes }: ChoiceProps) {
  return (
    <button type="button" className="button" data-decide={name} disabled={draft.judging.isUnderWay} onClick={onYes}>
      {label}
    </button>
  );
}

/** A text that looks like a variable: correct it, or confirm it. */
function TextChoice({ draft, question }: { readonly draft: Draft; readonly question: Question }) {
  const { says } = useMaking();
  const { act, end, isUnderWay } = useAct('amendCampaign');
  const { id, text } = draft.campaign;
  const known = (question.meant ?? []).flatMap(({ written, meant }) =>
    meant === undefined ? [] : [{ written, meant }],
  );
  const corrected = known.reduce((so, { written, meant }) => so.replaceAll(written, meant), text);
  const written = known.map(({ meant }) => meant.replaceAll('\n', '↵').trim()).filter((meant) => meant !== '');
  return (
    <>
      {known.length > 0 && (
        <button
          type="button"
          className="button"
          data-decide="replace"
          disabled={isUnderWay}
          onClick={() => void act({ id, body: { text: corrected } })}
        >
          {written.length === 0 ? says.people.remove : says.people.replace(written.join(', '))}
        </button>
      )}
      <Choice
        name="as-written"
        label={says.people.asWritten}
        draft={draft}
        onYes={() => void draft.judging.judge({ ...draft.wishes, asWritten: true })}
      />
      {end?.is !== 'done' && <Ended end={end} />}
    </>
  );
}

function CountryChoice({ draft }: { readonly draft: Draft }) {
  const { says, language } = useMaking();
  const { act, end, isUnderWay } = useAct('amendCampaign');
  const [country, setCountry] = useState<string>('');
  const field = useId();
  const names = countryNames(language);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div>
        <label htmlFor={field} className="mb-1 block text-sm">
          {says.people.countryOf}
        </label>
        <select id={field} className="field" value={country} onChange={({ target }) => setCountry(target.value)}>
          <option value="">{says.people.chooseCountry}</option>
          {COUNTRIES.map((code) => (
            <option key={code} value={code}>
              {names.of(code)}
            </option>
          ))}
        </select>
      </div>
      <button
        type="button"
        className="button button-main"
        data-decide="country"
        disabled={country === '' || isUnderWay || draft.judging.isUnderWay}
        onClick={() => void act({ id: draft.campaign.id, body: { country } })}
      >
        {says.people.setCountry}
      </button>
      {end?.is !== 'done' && <Ended end={end} />}
    </div>
  );
}

/** The decisions, and how to undo them. */
function Decided({ draft }: { readonly draft: Draft }) {
  const { says, fileSays, language } = useMaking();
  const { act } = useAct('amendCampaign');
  const { wishes, kept, judging, campaign } = draft;
  const again = (more: Partial<Wishes>) => () => void judging.judge({ ...wishes, ...more });
  const known: Readonly<Record<string, string>> = fileSays.reasons;
  const lines: (readonly [what: string, is: string, undo: () => void])[] = [
    ...wishes.leaveOut.map((reason) => {
      const rest = wishes.leaveOut.filter((one) => one !== reason);
      return [known[reason] ?? reason, says.people.isLeftOut, again({ leaveOut: rest })] as const;
    }),
    ...(wishes.repair.length > 0
      ? [[known['old_numbering'] ?? '', says.people.isRenewed, again({ repair: [] })] as const]
      : []),
    ...(wishes.takeHidden
      ? [[known['hidden_row'] ?? '', says.people.isTaken, again({ takeHidden: false })] as const]
      : []),
    ...(wishes.take ?? []).map((reason) => {
      const rest = wishes.take?.filter((one) => one !== reason) ?? [];
      return [known[reason] ?? reason, says.people.isAsWritten, again({ take: rest })] as const;
    }),
    ...(wishes.asWritten ? [['', says.people.isAsWritten, again({ asWritten: false })] as const] : []),
    ...(kept.country === null
      ? []
      : [
          [
            known['no_country'] ?? '',
            says.people.isCountry(countryNames(language).of(kept.country) ?? kept.country),
            () => void act({ id: campaign.id, body: { country: null } }),
          ] as const,
        ]),
  ];
  return (
    <Section title={says.people.decided}>
      <ul className="divide-y divide-line">
        {lines.map(([what, is, undo]) => (
          <li key={`${what} ${is}`} className="flex flex-wrap items-center justify-between gap-3 py-2">
            <span>
              <strong className="block font-medium first-letter:uppercase">{is}</strong> {what}
            </span>
            <button type="button" className="button" disabled={judging.isUnderWay} onClick={undo}>
              {says.people.undo}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Rows without a decision: duplicate, no number, opted out. */
function LeftOut({ draft, report }: PeopleProps) {
  const words = useWords();
  const { says, fileSays } = useMaking();
  const known: Readonly<Record<string, string>> = fileSays.reasons;
  const asked: Readonly<Record<string, unknown>> = fileSays.decide.reasons;
  const rest = Object.entries(report.reasons ?? {}).filter(([reason]) => !(reason in asked));
  const { campaign, wishes } = draft;
  if (report.skipped === 0) return null;
  return (
    <Section title={says.people.also}>
      <ul className="mb-3 space-y-2">
        {rest.map(([reason, { count, examples }]) => (
          <li key={reason} data-left-out={reason}>
            <span className="font-medium">{countIn(words, count)}</span> · {known[reason] ?? reason}
            <span className="block text-sm text-quiet">
              {examples
                .slice(0, 2)
                .map(({ row, to }) => `${says.people.row(String(row))} ${to || '–'}`)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      <p className="mb-2 text-sm text-quiet">{says.people.mend}</p>
      <DownloadButton
        id="countFile"
        asked={{ id: campaign.id, dryRun: true, ...queryOf(wishes) }}
        name={`${campaign.name}.csv`}
        label={says.people.fileOfLeftOut}
        which="left-out"
      />
    </Section>
  );
}
