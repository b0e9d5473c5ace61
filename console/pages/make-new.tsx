/** A campaign begins with its name; from then on every change is saved. */
import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useAct } from '../asking/acts.ts';
import { useNamesOnce } from '../asking/named-once.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { Ended } from '../parts/act.tsx';
import { Arrow } from '../parts/arrow.tsx';
import { Back } from '../parts/back.tsx';
import { useWords } from '../parts/language.tsx';
import { NotAllowed, Page } from '../parts/page.tsx';
import { useMaking } from './make-draft.ts';

export function NewCampaign() {
  const { shell } = useWords();
  const { says } = useMaking();
  const { may } = useSession();
  const back = <Back to="/campaigns">{shell.campaigns}</Back>;
  return (
    <Page title={says.title} above={back}>
      {may('enqueue-sms') ? <Naming /> : <NotAllowed needs={['enqueue-sms']} />}
    </Page>
  );
}

function Naming() {
  const { says } = useMaking();
  const [, go] = useLocation();
  const { session } = useSession();
  const { act, end, isUnderWay } = useAct('createCampaign');
  const { nameOf } = useNamesOnce();
  const [name, setName] = useState('');
  const [account, setAccount] = useState(session.accounts?.[0] ?? 'main');
  const field = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const body = { name: name.trim(), account };
    const made = await act({ idempotencyKey: nameOf(body), body });
    if (made) go(`/campaigns/${made.id}/make/file`);
  };
  return (
    <form className="sheet max-w-2xl p-5" onSubmit={(event) => void submit(event)}>
      <label htmlFor={field} className="mb-1 block font-medium">
        {says.name}
      </label>
      <input
        id={field}
        className="field"
        required
        maxLength={100}
        autoComplete="off"
        aria-describedby={`${field}-hint`}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <p id={`${field}-hint`} className="mt-1 text-sm text-quiet">
        {says.nameHint}
      </p>
      <AccountChoice account={account} choose={setAccount} />
      <p className="mt-4 text-sm text-quiet">{says.isKept}</p>
      <Ended end={end} />
      <button type="submit" className="button button-main mt-4" disabled={isUnderWay || name.trim() === ''}>
        {says.next} <Arrow to="right" />
      </button>
    </form>
  );
}

interface AccountProps {
  readonly account: string;
  readonly choose: (account: string) => void;
}

/** Shown only with more than one. */
function AccountChoice({ account, choose }: AccountProps) {
  const { says } = useMaking();
  const field = useId();
  const accounts = useAsk('listAccounts', {});
  const names = accounts.data?.items.map(({ name }) => name) ?? [];
  if (names.length < 2) return null;
  return (
    <div className="mt-4">
      <label htmlFor={field} className="mb-1 block font-medium">
        {says.account}
      </label>
      <select id={field} className="field max-w-64" value={account} onChange={({ target }) => choose(target.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  );
}
