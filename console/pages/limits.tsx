/** Money limits: values in force, who set them, and what waits for another person. */
import { useState } from 'react';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { useReach, useSession } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { AskForm } from '../parts/act-form.tsx';
import { Field } from '../parts/field.tsx';
import { AsOf, Moment, countIn, moneyIn, wholeSpanIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Sign } from '../parts/state.tsx';
import type { Words } from '../words/words.ts';

type Limit = Answer<'listLimits'>['items'][number];

export function Limits() {
  const { shell, desk } = useWords();
  const limits = useAsk('listLimits', {}, { everyMs: 15_000 });
  return (
    <Page title={shell.limits}>
      <p className="mb-4 text-quiet">{desk.limits.lead}</p>
      <Read of={limits}>
        {({ items }, at) => (
          <>
            {items.map((limit) => (
              <One key={limit.name} limit={limit} />
            ))}
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

const MINUTE_MS = 60_000;

/** Users enter minutes, programs use milliseconds. */
const scaleOf = (name: Limit['name']): number => (name === 'DUPLICATE_WINDOW' ? MINUTE_MS : 1);

function valueIn(words: Words, name: Limit['name'], value: number | null): string {
  const says = words.desk.limits;
  if (value === null) return says.none;
  if (name === 'DUPLICATE_WINDOW') return wholeSpanIn(words, value);
  if (name === 'CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS') return words.pages.approvals.people(countIn(words, value));
  return moneyIn(words, value);
}

function One({ limit }: { readonly limit: Limit }) {
  const words = useWords();
  const reaches = useReach();
  const says = words.desk.limits;
  const { name, value, since, by, asked } = limit;
  const { title, means } = says.of[name];
  return (
    <Section
      title={title}
      beside={
        <span className="text-lg font-semibold" data-limit={name} data-value={value}>
          {valueIn(words, name, value)}
        </span>
      }
    >
      <p className="text-quiet">{means}</p>
      <p className="mt-1 text-sm text-quiet">
        {by === null ? says.byDefault : says.setBy(words.desk.by(by))} {since !== null && <Moment at={since} />}
      </p>
      {asked && <Asked name={name} asked={asked} />}
      {reaches({ roles: ['approve'], ofAll: true }) && (
        <div className="mt-4">
          <Change key={value} limit={limit} />
        </div>
      )}
    </Section>
  );
}

interface AskedProps {
  readonly name: Limit['name'];
  readonly asked: NonNullable<Limit['asked']>;
}

/** A looser value waits a day for another person. */
function Asked({ name, asked: { value, by, at } }: AskedProps) {
  const words = useWords();
  const { me, session } = useSession();
  const reaches = useReach();
  const says = words.desk.limits;
  const doing = useAct('setLimit');
  const isMine = by === me || by === session.name;
  const wished = valueIn(words, name, value);
  return (
    <div
      className="mt-3 flex flex-wrap items-center gap-3 rounded-lg bg-asks-soft px-3 py-2 text-asks"
      data-asked={by}
    >
      <p className="flex items-center gap-2">
        <Sign tone="asks" /> {says.waits(by, wished)} <Moment at={at} />
      </p>
      {isMine && <p>{says.notYourOwn}</p>}
      {!isMine && reaches({ roles: ['approve'], ofAll: true }) && (
        <AskFirst
          doing={doing}
          onYes={() => doing.act({ name, body: { value } })}
          label={says.agree(wished)}
          says={says.agreeSays}
          look="main"
          name="agreeLimit"
        />
      )}
    </div>
  );
}

/** For the window of repeated payments a higher value is stricter; for all others a lower one. */
function isLooserThan(name: Limit['name'], wished: number | null, value: number | null): boolean {
  if (value === null) return false;
  if (wished === null) return true;
  return name === 'DUPLICATE_WINDOW' ? wished < value : wished > value;
}

function Change({ limit: { name, value } }: { readonly limit: Limit }) {
  const { desk } = useWords();
  const says = desk.limits;
  const doing = useAct('setLimit');
  const [typed, setTyped] = useState(value === null ? '' : String(value / scaleOf(name)));
  const wished = typed === '' ? null : Number(typed) * scaleOf(name);
  const isLooser = isLooserThan(name, wished, value);
  return (
    <AskForm
      doing={doing}
      label={says.change}
      title={says.of[name].title}
      send={isLooser ? says.askFor : says.set}
      name={`setLimit-${name}`}
      isReady={wished !== value}
      onSend={() => doing.act({ name, body: { value: wished } })}
    >
      <Field
        label={name === 'DUPLICATE_WINDOW' ? says.minutes : says.newValue}
        hint={says.newHint}
        type="number"
        min={1}
        step={1}
        value={typed}
        set={setTyped}
      />
      <p role="status" className="mt-3" data-looser={isLooser}>
        {wished !== value && (isLooser ? says.looser : says.stricter)}
      </p>
    </AskForm>
  );
}
