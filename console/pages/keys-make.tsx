/** The form for a key: holder, rights, accounts, expiry. */
import { useState } from 'react';
import type { Answer, Asked } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { useSession } from '../asking/session.tsx';
import { AskForm } from '../parts/act-form.tsx';
import { Boxes, Field } from '../parts/field.tsx';
import { useWords } from '../parts/language.tsx';
import type { Role } from '../shell/entries.ts';

const ROLES: readonly Role[] = ['read', 'enqueue', 'enqueue-sms', 'enqueue-payments', 'approve', 'operate', 'admin'];

interface Wish {
  readonly name: string;
  readonly isForPerson: boolean;
  readonly holder: string;
  readonly roles: readonly Role[];
  readonly accounts: readonly string[];
  readonly until: string;
}

const NOTHING: Wish = { name: '', isForPerson: true, holder: '', roles: ['read'], accounts: [], until: '' };

/** Empty fields are omitted: an empty list of accounts would otherwise mean all. */
function bodyOf({ name, isForPerson, holder, roles, accounts, until }: Wish): Asked<'createKey'>['body'] {
  return {
    name: name.trim(),
    roles: [...roles],
    ...(isForPerson ? { person: holder.trim() } : { service: holder.trim() }),
    ...(accounts.length === 0 ? {} : { accounts: [...accounts] }),
    ...(until === '' ? {} : { expiresAt: new Date(until).toISOString() }),
  };
}

export function MakeKey({ onMade }: { readonly onMade: (made: Answer<'createKey'>) => void }) {
  const { desk } = useWords();
  const says = desk.keys;
  const doing = useAct('createKey');
  const [wish, setWish] = useState(NOTHING);
  const isReady = wish.name.trim() !== '' && wish.holder.trim() !== '' && wish.roles.length > 0;
  const send = async () => {
    const body = bodyOf(wish);
    const made = await doing.act(body ? { body } : {});
    if (made) {
      setWish(NOTHING);
      onMade(made);
    }
    return made;
  };
  return (
    <AskForm doing={doing} label={says.make} look="main" name="createKey" isReady={isReady} onSend={send}>
      <Wished wish={wish} set={(part) => setWish({ ...wish, ...part })} />
    </AskForm>
  );
}

interface WishedProps {
  readonly wish: Wish;
  readonly set: (part: Partial<Wish>) => void;
}

function Wished({ wish, set }: WishedProps) {
  const { desk, roles } = useWords();
  const { session } = useSession();
  const says = desk.keys;
  const accounts = useAsk('listAccounts', {}, { enabled: session.roles.includes('read') });
  const names = accounts.data?.items.map(({ name }) => name) ?? [];
  return (
    <>
      <Field label={says.name} hint={says.nameHint} value={wish.name} set={(name) => set({ name })} />
      <Holder wish={wish} set={set} />
      <Boxes
        label={says.may}
        of={ROLES}
        words={(role) => roles[role] ?? role}
        chosen={wish.roles}
        choose={(chosen) => set({ roles: chosen })}
      />
      {names.length > 1 && (
        <Boxes
          label={desk.accounts}
          hint={says.accountsHint}
          of={names}
          words={(name) => name}
          chosen={wish.accounts}
          choose={(chosen) => set({ accounts: chosen })}
        />
      )}
      <Field
        label={says.until}
        hint={says.untilHint}
        type="datetime-local"
        value={wish.until}
        set={(until) => set({ until })}
      />
    </>
  );
}

function Holder({ wish, set }: WishedProps) {
  const { desk } = useWords();
  const says = desk.keys;
  return (
    <fieldset className="mt-4">
      <legend className="mb-1 font-medium">{says.whose}</legend>
      <div className="mb-2 flex flex-wrap gap-x-5">
        {([true, false] as const).map((isForPerson) => (
          <label key={String(isForPerson)} className="flex min-h-11 items-center gap-2">
            <input
              type="radio"
              name="holder"
              className="size-5 shrink-0 accent-accent"
              checked={wish.isForPerson === isForPerson}
              onChange={() => set({ isForPerson })}
            />
            {isForPerson ? says.aPerson : says.aService}
          </label>
        ))}
      </div>
      <Field
        label={wish.isForPerson ? says.personName : says.serviceName}
        hint={wish.isForPerson ? says.personHint : says.serviceHint}
        value={wish.holder}
        set={(holder) => set({ holder })}
      />
    </fieldset>
  );
}
