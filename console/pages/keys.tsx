/** The keys and their holders; creation with a secret shown only here; revocation within seconds. */
import { useState } from 'react';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { AskFirst } from '../parts/act.tsx';
import { AsOf, Moment } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Sign } from '../parts/state.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';
import { MakeKey } from './keys-make.tsx';

type Key = Answer<'listKeys'>['items'][number];
type Made = Answer<'createKey'>;

export function Keys() {
  const { shell, desk } = useWords();
  const says = desk.keys;
  const keys = useAsk('listKeys', {}, { everyMs: 30_000 });
  const [made, setMade] = useState<Made>();
  return (
    <Page title={shell.keys} beside={<MakeKey onMade={setMade} />}>
      {made && <Secret title={says.made(made.name)} secret={made.secret} onKept={() => setMade(undefined)} />}
      <p className="mb-4 text-quiet">{says.lead}</p>
      <Read of={keys}>
        {({ items }, at) => (
          <>
            <Group title={says.held} keys={items.filter((key) => stateOf(key) === 'holds')} />
            <Group title={says.over} keys={items.filter((key) => stateOf(key) !== 'holds')} />
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): 'holds' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= new Date() ? 'expired' : 'holds';
}

function Group({ title, keys }: { readonly title: string; readonly keys: readonly Key[] }) {
  const { desk } = useWords();
  const says = desk.keys;
  if (keys.length === 0) return null;
  return (
    <Section title={title}>
      <Table
        caption={title}
        columns={[
          { name: says.name },
          { name: says.may, wide: true },
          { name: desk.accounts, wide: true },
          { name: says.until, wide: true },
          { name: desk.act, right: true },
        ]}
      >
        {keys.map((key) => (
          <One key={key.id ?? key.name} of={key} />
        ))}
      </Table>
    </Section>
  );
}

function One({ of: key }: { readonly of: Key }) {
  const { desk, roles } = useWords();
  const says = desk.keys;
  const { id, name, person, service, accounts, createdBy, createdAt } = key;
  const may = key.roles.map((role) => roles[role] ?? role).join(', ');
  return (
    <Line data-row={name}>
      <Cell>
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="block text-sm text-quiet">
          {person === null ? (service === null ? '' : says.ofService(service)) : says.ofPerson(person)}
        </span>
        <span className="block text-sm text-quiet">
          {id === null ? says.ofSettings : says.madeBy(createdBy)} {createdAt !== null && <Moment at={createdAt} />}
        </span>
        <span className="block text-sm md:hidden">{may}</span>
        <span className="block text-sm md:hidden">
          <Until of={key} />
        </span>
      </Cell>
      <Cell wide>{may}</Cell>
      <Cell wide>{accounts === null ? desk.all : accounts.join(', ')}</Cell>
      <Cell wide>
        <Until of={key} />
      </Cell>
      <Cell right>{id !== null && stateOf(key) === 'holds' && <Revoke id={id} name={name} />}</Cell>
    </Line>
  );
}

function Until({ of: key }: { readonly of: Key }) {
  const { desk } = useWords();
  const says = desk.keys;
  const state = stateOf(key);
  const at = state === 'revoked' ? key.revokedAt : key.expiresAt;
  if (state === 'holds' && at === null) return key.id === null ? null : says.forEver;
  return (
    <span data-key={state} className={state === 'holds' ? '' : 'inline-flex items-center gap-1 text-off'}>
      {state !== 'holds' && <Sign tone="off" />} {says.ends[state]} {at !== null && <Moment at={at} />}
    </span>
  );
}

function Revoke({ id, name }: { readonly id: string; readonly name: string }) {
  const { desk } = useWords();
  const says = desk.keys;
  const doing = useAct('revokeKey');
  return (
    <AskFirst
      doing={doing}
      onYes={() => doing.act({ id })}
      label={says.revoke}
      title={`${says.revoke}: ${name}`}
      says={says.revokeSays}
      look="grave"
      name="revokeKey"
    />
  );
}
