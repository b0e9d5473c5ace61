/** Webhook endpoints: those of this key, or all for an operator. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { AskForm } from '../parts/act-form.tsx';
import { Field } from '../parts/field.tsx';
import { AsOf, Moment } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Notice, Page, Read, Section } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Sign } from '../parts/state.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';

export type Endpoint = Answer<'listEventEndpoints'>['items'][number];

export function Endpoints() {
  const { shell, desk } = useWords();
  const says = desk.endpoints;
  const endpoints = useAsk('listEventEndpoints', {}, { everyMs: 15_000 });
  const [made, setMade] = useState<Answer<'createEventEndpoint'>>();
  return (
    <Page title={shell.endpoints} beside={<Create onMade={setMade} />}>
      {made && <Secret title={says.secretOf(made.url)} secret={made.secret} onKept={() => setMade(undefined)} />}
      <p className="mb-4 text-quiet">{says.lead}</p>
      <Read of={endpoints}>
        {({ items }, at) => (items.length === 0 ? <Notice>{says.none}</Notice> : <All endpoints={items} at={at} />)}
      </Read>
    </Page>
  );
}

function All({ endpoints, at }: { readonly endpoints: readonly Endpoint[]; readonly at: number }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  return (
    <Section title={says.all}>
      <Table
        caption={says.all}
        columns={[{ name: says.address }, { name: says.state, wide: true }, { name: says.lastTaken, wide: true }]}
      >
        {endpoints.map((endpoint) => (
          <Line key={endpoint.id} data-row={endpoint.id}>
            <Cell>
              <Link to={`/endpoints/${endpoint.id}`} className="link wrap-anywhere">
                {endpoint.url}
              </Link>
              <span className="block text-sm text-quiet">
                {endpoint.types === null ? says.allTypes : endpoint.types.join(', ')}
              </span>
              <span className="text-sm md:hidden">
                <StateOf endpoint={endpoint} />
              </span>
            </Cell>
            <Cell wide>
              <StateOf endpoint={endpoint} />
            </Cell>
            <Cell wide>
              {endpoint.lastDeliveredAt === null ? says.never : <Moment at={endpoint.lastDeliveredAt} />}
            </Cell>
          </Line>
        ))}
      </Table>
      <AsOf at={at} />
    </Section>
  );
}

export function StateOf({ endpoint: { state, failingSince } }: { readonly endpoint: Endpoint }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const tone = state === 'disabled' ? 'bad' : failingSince === null ? 'done' : 'uncertain';
  const colour = { bad: 'text-bad', done: 'text-done', uncertain: 'text-uncertain' }[tone];
  return (
    <span className={`inline-flex items-center gap-1.5 ${colour}`} data-endpoint={state}>
      <Sign tone={tone} /> {says.states[tone]}
    </span>
  );
}

function Create({ onMade }: { readonly onMade: (made: Answer<'createEventEndpoint'>) => void }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const doing = useAct('createEventEndpoint');
  const [url, setUrl] = useState('');
  const send = async () => {
    const made = await doing.act({ body: { url: url.trim() } });
    if (made) {
      setUrl('');
      onMade(made);
    }
    return made;
  };
  return (
    <AskForm
      doing={doing}
      label={says.create}
      look="main"
      name="createEventEndpoint"
      isReady={url !== ''}
      onSend={send}
    >
      <p className="mb-4 text-quiet">{says.createSays}</p>
      <Field label={says.address} hint={says.addressHint} type="url" value={url} set={setUrl} />
    </AskForm>
  );
}
