/** Paying a file as an office has it: which column is which, what would be paid, and then a different person approves it. */
import { useLocation } from 'wouter';
import { useFormName } from '../asking/form.ts';
import { pageOf } from '../asking/kinds.ts';
import { useSession } from '../asking/session.tsx';
import { Ended } from '../parts/act.tsx';
import { AccountChoice, Field } from '../parts/field.tsx';
import { FileField } from '../parts/file-field.tsx';
import { Already } from '../parts/form.tsx';
import { useFormWords } from '../parts/form-words.ts';
import { Page, Section } from '../parts/page.tsx';
import { PayWays } from './pay.tsx';
import { type FileDraft, useFileDraft } from './pay-file-draft.ts';
import { Columns, WalletNames } from './pay-file-columns.tsx';
import { Result } from './pay-file-result.tsx';

const ADDRESS = '/pay/file';

export function PayFile() {
  const { file } = useFormWords();
  const name = useFormName();
  return (
    <Page title={file.title}>
      <PayWays />
      {name !== undefined && <OneFile key={name} name={name} />}
    </Page>
  );
}

function OneFile({ name }: { readonly name: string }) {
  const { file: says } = useFormWords();
  const { session } = useSession();
  const draft = useFileDraft(name, session.accounts?.[0] ?? 'main');
  const { form, file, said, choose, say } = draft;
  if (form.existing !== undefined) return <Already form={form} id={form.existing} another={ADDRESS} />;
  return (
    <>
      <section className="sheet mb-5 p-5">
        <AccountChoice account={said.account} choose={(account) => say({ account })} />
        <FileField label={file ? says.another : says.drop} hint={says.hint} onFile={choose} />
        {file && (
          <p className="mt-3 flex flex-wrap gap-x-3 font-medium" data-file={file.name}>
            {file.name}
            {form.isUnderWay && (
              <span role="status" className="text-moving">
                {says.reading}
              </span>
            )}
          </p>
        )}
        <Ended end={form.end} />
      </section>
      {form.judged && <Decided draft={draft} />}
    </>
  );
}

function Decided({ draft }: { readonly draft: FileDraft }) {
  const { judged } = draft.form;
  if (judged === undefined) return null;
  return (
    <>
      {judged.table && <Columns draft={draft} table={judged.table} />}
      {judged.table && <WalletNames draft={draft} table={judged.table} />}
      <Result draft={draft} checked={judged} />
      <Sending draft={draft} isReady={judged.state !== 'invalid'} />
    </>
  );
}

interface SendingProps {
  readonly draft: FileDraft;
  readonly isReady: boolean;
}

function Sending({ draft, isReady }: SendingProps) {
  const says = useFormWords();
  const [, go] = useLocation();
  const { form, said, say, type, send } = draft;
  const submit = async (): Promise<void> => {
    const made = await send();
    if (made) go(pageOf(made.id), { replace: true });
  };
  return (
    <Section title={says.pay.when}>
      <div className="max-w-xs">
        <Field
          label={says.optional(says.notBefore)}
          hint={says.notBeforeHint}
          type="datetime-local"
          value={said.notBefore}
          set={(notBefore) => type({ notBefore })}
          onBlur={() => say({})}
        />
      </div>
      <SmsFields draft={draft} />
      <p className="mt-4">{says.file.sendMeans}</p>
      {form.end?.is === 'not known' && (
        <p role="alert" className="mt-3 rounded-lg bg-uncertain-soft px-3 py-2 text-uncertain" data-end="not known">
          {says.notKnown}
        </p>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <button
          type="button"
          className="button button-main"
          data-act="send"
          disabled={!isReady || form.isUnderWay}
          onClick={() => void submit()}
        >
          {says.file.send}
        </button>
        {!isReady && <span className="text-sm text-quiet">{says.file.notReady}</span>}
      </div>
    </Section>
  );
}

/** The SMS to each payee: checked when a field is left. */
function SmsFields({ draft: { said, say, type } }: { readonly draft: FileDraft }) {
  const says = useFormWords();
  return (
    <>
      <Field
        label={says.optional(says.notify)}
        hint={says.notifyColumns}
        value={said.notify}
        set={(notify) => type({ notify })}
        onBlur={() => say({})}
      />
      <Field
        label={says.optional(says.notifyFailed)}
        value={said.notifyFailed}
        set={(notifyFailed) => type({ notifyFailed })}
        onBlur={() => say({})}
      />
    </>
  );
}
