/** The problems of this deployment, each with its fix, as in `relais doctor`. */
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { AsOf, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';

type Found = Answer<'examineDeployment'>['findings'][number];

export function Doctor() {
  const words = useWords();
  const { shell, desk } = words;
  const says = desk.doctor;
  const doctor = useAsk('examineDeployment', {}, { everyMs: 60_000 });
  return (
    <Page title={shell.doctor}>
      <Read of={doctor}>
        {({ at, faults, findings }) => (
          <>
            <p className={`mb-4 font-medium ${faults === 0 ? 'text-done' : 'text-bad'}`} data-faults={faults}>
              {faults === 0 ? says.noFault : says.faults(countIn(words, faults))}
            </p>
            <Some title={says.toMend} of={findings.filter(({ is }) => is === 'fault')} />
            <Some title={says.well} of={findings.filter(({ is }) => is === 'ok')} />
            <Some title={says.notLooked} of={findings.filter(({ is }) => is === 'skipped')} />
            <p className="mt-2 text-sm text-quiet">{says.whose}</p>
            <AsOf at={Date.parse(at)} />
          </>
        )}
      </Read>
    </Page>
  );
}

const TONES = { ok: 'done', fault: 'bad', skipped: 'off' } as const;

function Some({ title, of }: { readonly title: string; readonly of: readonly Found[] }) {
  const { desk } = useWords();
  if (of.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="space-y-3">
        {of.map(({ check, name, is, says, fix }) => (
          <li key={`${check} ${says}`} data-check={check} data-is={is} className="flex gap-2">
            <span className="mt-1">
              <Sign tone={TONES[is]} />
            </span>
            <div className="min-w-0 wrap-anywhere">
              <span className="font-medium">{name}</span>
              <p>{says}</p>
              {fix !== null && (
                <p data-fix>
                  <span className="font-medium">{desk.doctor.toDo}</span> {fix}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
