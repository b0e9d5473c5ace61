/** Opt-outs: check one number, add, remove, and upload a file. */
import { type FormEvent, useState } from 'react';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { asRead, FILE_ENDINGS } from '../asking/file.ts';
import { useAsk, usePages } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AskFirst } from '../parts/act.tsx';
import { AskForm } from '../parts/act-form.tsx';
import { AccountChoice, Field, Labelled } from '../parts/field.tsx';
import { countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Paged } from '../parts/paged.tsx';

type Changed = Answer<'addOptOuts'>;

/** The account and sender ID of the list; without a sender ID, the list for all. */
interface OfList {
  readonly account: string;
}

const PAGE = 200;

export function OptOuts() {
  const { shell } = useWords();
  const { may } = useSession();
  const [account, setAccount] = useState('main');
  const [changed, setChanged] = useState<Changed>();
  return (
    <Page
      title={shell.optOuts}
      beside={
        may('enqueue-sms') && (
          <div className="flex flex-wrap gap-3">
            <Add account={account} onDone={setChanged} />
            <Import account={account} onDone={setChanged} />
          </div>
        )
      }
    >
      <AccountChoice account={account} choose={setAccount} />
      {changed && <Told changed={changed} />}
      <One account={account} />
      <All account={account} />
    </Page>
  );
}

function Told({ changed }: { readonly changed: Changed }) {
  const words = useWords();
  const says = words.desk.optOuts;
  const { added = 0, already = 0, refused, problems } = changed;
  return (
    <div role="status" className="mb-5 rounded-lg bg-done-soft px-3 py-2 text-done" data-added={added}>
      <p>{says.added(countIn(words, added), countIn(words, already))}</p>
      {refused > 0 && (
        <details className="mt-1 text-bad" data-refused={refused}>
          <summary>{says.refused(countIn(words, refused))}</summary>
          {problems.map(({ at, message }) => (
            <p key={at}>
              {words.pages.approvals.row(String(at))} {message}
            </p>
          ))}
        </details>
      )}
    </div>
  );
}

interface AddProps extends OfList {
  readonly onDone: (changed: Changed) => void;
}

function Add({ account, onDone }: AddProps) {
  const { desk } = useWords();
  const says = desk.optOuts;
  const doing = useAct('addOptOuts');
  const [text, setText] = useState('');
  const phones = text.split(/[\n,;]+/).filter((line) => line.trim() !== '');
  const send = async () => {
    const done = await doing.act({ body: { phones, account } });
    if (done) {
      setText('');
      onDone(done);
    }
    return done;
  };
  return (
    <AskForm doing={doing} label={says.add} look="main" name="addOptOuts" isReady={phones.length > 0} onSend={send}>
      <p className="mb-4 text-quiet">{says.addSays}</p>
      <Labelled label={says.numbers} hint={says.numbersHint}>
        {(told) => <textarea {...told} rows={5} value={text} onChange={({ target }) => setText(target.value)} />}
      </Labelled>
    </AskForm>
  );
}

function Import({ account, onDone }: AddProps) {
  const { desk } = useWords();
  const says = desk.optOuts;
  const doing = useAct('addOptOuts');
  const [file, setFile] = useState<File>();
  const send = async () => {
    if (file === undefined) return undefined;
    const done = await doing.act({ account, file: asRead(file) });
    if (done) onDone(done);
    return done;
  };
  return (
    <AskForm doing={doing} label={says.import} name="importOptOuts" isReady={file !== undefined} onSend={send}>
      <p className="mb-4 text-quiet">{says.importSays}</p>
      <Labelled label={desk.file} hint={says.importHint}>
        {(told) => (
          <input {...told} type="file" accept={FILE_ENDINGS} onChange={({ target }) => setFile(target.files?.[0])} />
        )}
      </Labelled>
    </AskForm>
  );
}

/** The state of one number. */
function One({ account }: OfList) {
  const { desk } = useWords();
  const says = desk.optOuts;
  const [typed, setTyped] = useState('');
  const [phone, setPhone] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setPhone(typed.trim() === '' ? undefined : typed.trim());
  };
  return (
    <Section title={says.one}>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="min-w-56 flex-1">
          <Field label={says.number} type="tel" value={typed} set={setTyped} />
        </div>
        <button type="submit" className="button">
          {says.look}
        </button>
      </form>
      {phone !== undefined && <Found account={account} phone={phone} />}
    </Section>
  );
}

function Found({ account, phone }: OfList & { readonly phone: string }) {
  const { desk } = useWords();
  const says = desk.optOuts;
  const found = useAsk('listOptOuts', { account, phone });
  return (
    <div className="mt-4">
      <Read of={found}>
        {({ phone: known = phone, optedOut = false }) => (
          <p className="flex flex-wrap items-center gap-3" data-opted-out={optedOut}>
            {optedOut ? says.isOut(known) : says.isNot(known)}
            {optedOut && <TakeOff account={account} phone={known} />}
          </p>
        )}
      </Read>
    </div>
  );
}

function TakeOff({ account, phone }: OfList & { readonly phone: string }) {
  const { desk } = useWords();
  const { may } = useSession();
  const says = desk.optOuts;
  const doing = useAct('removeOptOuts');
  if (!may('operate')) return null;
  return (
    <AskFirst
      doing={doing}
      onYes={() => doing.act({ body: { phones: [phone], account } })}
      label={says.takeOff}
      title={`${says.takeOff}: ${phone}`}
      says={says.takeOffSays}
      look="grave"
      name="removeOptOuts"
    />
  );
}

function All({ account }: OfList) {
  const words = useWords();
  const says = words.desk.optOuts;
  const list = usePages('listOptOuts', { account, limit: PAGE });
  return (
    <Section title={says.all}>
      <Paged of={list}>
        {(pages) => {
          const { total = 0, forgotten = 0 } = pages[0] ?? {};
          // A number may occur twice while the list changes.
          const phones = [...new Set(pages.flatMap(({ items }) => items ?? []))];
          return (
            <>
              <p className="mb-3 text-quiet">
                {total === 0 ? says.none : says.total(countIn(words, total))}{' '}
                {forgotten > 0 && says.forgotten(countIn(words, forgotten))}
              </p>
              <ul className="divide-y divide-line" data-opt-outs={total}>
                {phones.map((phone) => (
                  <li
                    key={phone}
                    className="flex flex-wrap items-center justify-between gap-3 py-1.5"
                    data-row={phone}
                  >
                    {phone} <TakeOff account={account} phone={phone} />
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Paged>
    </Section>
  );
}
