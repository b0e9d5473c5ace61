/** One decision for many payments: selected by filters, reviewed, and confirmed as exactly these. */
import { type FormEvent, useState } from 'react';
import type { Answer, Asked } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst, Ended } from '../parts/act.tsx';
import { Back } from '../parts/back.tsx';
import { Field, Labelled } from '../parts/field.tsx';
import { countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Reason, ReasonOption } from '../parts/reason.tsx';
import { Done, type Lines } from './review-many-done.tsx';

type Word = NonNullable<Asked<'resolveSelection'>['body']>;
type Outcome = Word['outcome'];

const OUTCOMES: readonly Outcome[] = ['succeeded', 'failed', 'resubmit', 'cancelled', 'reversed'];
const FILTERS = ['reason', 'account', 'withdrawMode', 'batch', 'amountMin', 'amountMax'] as const;
type Filter = (typeof FILTERS)[number];
type Filled = Readonly<Record<Filter, string>>;

const EMPTY: Filled = { reason: '', account: '', withdrawMode: '', batch: '', amountMin: '', amountMax: '' };

/** Without any filter the selection would be everything: relais refuses that. */
function whereOf(filled: Filled): Word['where'] {
  const given = FILTERS.filter((name) => filled[name].trim() !== '');
  return Object.fromEntries(
    given.map((name) => [name, name.startsWith('amount') ? Number(filled[name]) : filled[name].trim()]),
  );
}

export function ReviewMany() {
  const { shell, desk } = useWords();
  const { may } = useSession();
  const says = desk.many;
  const back = <Back to="/review">{shell.review}</Back>;
  return (
    <Page title={says.title} above={back}>
      {may('approve') ? <Deciding /> : <p data-refusal="role">{says.lookOnly}</p>}
    </Page>
  );
}

interface Wish {
  readonly filled: Filled;
  readonly outcome: Outcome | undefined;
  readonly note: string;
}

/** Undefined: selection, decision or reason is missing. */
function wordOf({ filled, outcome, note }: Wish): Word | undefined {
  const where = whereOf(filled);
  const isWhole = note.trim() !== '' && Object.keys(where).length > 0;
  return isWhole && outcome !== undefined ? { where, outcome, note: note.trim() } : undefined;
}

/** The form, the selection of relais, and the result. */
function useMany() {
  const looking = useAct('resolveSelection');
  // No decision is preselected: an unchanged field would be a decision that no user made.
  const [wish, setWish] = useState<Wish>({ filled: EMPTY, outcome: undefined, note: '' });
  const [chosen, setChosen] = useState<{ readonly word: Word; readonly told: Answer<'resolveSelection'> }>();
  const [lines, setLines] = useState<Lines>();
  const word = wordOf(wish);
  /** The reviewed selection no longer matches the form. */
  const change = (part: Partial<Wish>): void => {
    setChosen(undefined);
    setWish({ ...wish, ...part });
  };
  const look = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setLines(undefined);
    const told = word && (await looking.act({ body: word }));
    setChosen(told && { word, told });
  };
  const over = (done: Lines): void => {
    setChosen(undefined);
    setLines(done);
  };
  return { wish, change, isReady: word !== undefined, looking, look, chosen, lines, over };
}

function Deciding() {
  const { desk } = useWords();
  const says = desk.many;
  const { wish, change, isReady, looking, look, chosen, lines, over } = useMany();
  return (
    <>
      <form onSubmit={(event) => void look(event)}>
        <Section title={says.which}>
          <Which filled={wish.filled} set={(filled) => change({ filled })} />
        </Section>
        <Section title={says.verdict}>
          <Verdict outcome={wish.outcome} note={wish.note} set={change} />
          {looking.end?.is !== 'done' && <Ended end={looking.end} />}
          <button
            type="submit"
            data-act="lookAtMany"
            className="button button-main mt-4"
            disabled={!isReady || looking.isUnderWay}
          >
            {says.look}
          </button>
        </Section>
      </form>
      {chosen && <Chosen word={chosen.word} told={chosen.told} onOver={over} />}
      {lines && <Done lines={lines} />}
    </>
  );
}

function Which({ filled, set }: { readonly filled: Filled; readonly set: (filled: Filled) => void }) {
  const { desk } = useWords();
  const says = desk.many;
  const waiting = useAsk('listReview', { limit: 100 });
  const reasons = waiting.data?.items.flatMap((item) => ('reason' in item && item.reason ? [item.reason] : [])) ?? [];
  return (
    <>
      <p className="mb-3 text-quiet">{says.whichSays}</p>
      <div className="grid gap-x-5 gap-y-4 *:mt-0 sm:grid-cols-2">
        <Labelled label={says.filters.reason}>
          {(told) => (
            <select
              {...told}
              value={filled.reason}
              onChange={({ target }) => set({ ...filled, reason: target.value })}
            >
              <option value="">{says.any}</option>
              {[...new Set(reasons)].map((reason) => (
                <ReasonOption key={reason} word={reason} />
              ))}
            </select>
          )}
        </Labelled>
        {FILTERS.filter((name) => name !== 'reason').map((name) => (
          <Field
            key={name}
            label={says.filters[name]}
            type={name.startsWith('amount') ? 'number' : 'text'}
            value={filled[name]}
            set={(value) => set({ ...filled, [name]: value })}
          />
        ))}
      </div>
    </>
  );
}

interface VerdictProps extends Pick<Wish, 'outcome' | 'note'> {
  readonly set: (part: Partial<Pick<Wish, 'outcome' | 'note'>>) => void;
}

function Verdict({ outcome, note, set }: VerdictProps) {
  const { pages, desk } = useWords();
  const { outcomes, note: noteName, noteHint } = pages.review;
  return (
    <>
      <Labelled label={desk.many.became} hint={outcome && outcomes[outcome].follows}>
        {(told) => (
          <select
            {...told}
            value={outcome ?? ''}
            onChange={({ target }) => set({ outcome: OUTCOMES.find((one) => one === target.value) })}
          >
            <option value="" disabled>
              {desk.many.choose}
            </option>
            {OUTCOMES.map((one) => (
              <option key={one} value={one}>
                {outcomes[one].name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Labelled label={noteName} hint={noteHint}>
        {(told) => (
          <textarea
            {...told}
            rows={3}
            maxLength={500}
            value={note}
            onChange={({ target }) => set({ note: target.value })}
          />
        )}
      </Labelled>
    </>
  );
}

interface ChosenProps {
  readonly word: Word;
  readonly told: Answer<'resolveSelection'>;
  readonly onOver: (lines: Lines) => void;
}

/** The confirmation covers exactly the displayed selection: a changed one is refused. */
function Chosen({ word, told: { count, xof, reasons, selection }, onOver }: ChosenProps) {
  const words = useWords();
  const says = words.desk.many;
  const doing = useAct('resolveSelection');
  const decide = async () => {
    const lines = await doing.act({ body: { ...word, confirm: { count, selection } } });
    if (lines) onOver(lines as unknown as Lines);
    return lines;
  };
  const whole = says.payments(countIn(words, count), moneyIn(words, xof));
  return (
    <Section title={count === 0 ? says.nothing : whole}>
      <ul className="mb-4 list-disc pl-5" data-chosen={count}>
        {Object.entries(reasons).map(([reason, sum]) => (
          <li key={reason}>
            <Reason word={reason} />: {says.payments(countIn(words, sum.count), moneyIn(words, sum.xof))}
          </li>
        ))}
      </ul>
      {count > 0 && (
        <AskFirst
          doing={doing}
          onYes={decide}
          label={says.decide}
          title={`${says.decide}: ${whole}`}
          says={`${words.pages.review.outcomes[word.outcome].name}. ${says.decideSays}`}
          look="grave"
          name="resolveSelection"
        />
      )}
    </Section>
  );
}
