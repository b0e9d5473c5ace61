/** One endpoint: its deliveries, its answers, and what can be resent. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAct } from '../asking/acts.ts';
import { useAsk } from '../asking/queries.ts';
import { AskFirst, Ended } from '../parts/act.tsx';
import { AskForm } from '../parts/act-form.tsx';
import { Back } from '../parts/back.tsx';
import { Field } from '../parts/field.tsx';
import { AsOf, Count, Moment, countIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Page, Read, Section } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Sign } from '../parts/state.tsx';
import { Cell, Line, Table } from '../parts/table.tsx';
import { StateOf } from './endpoints.tsx';

type Detail = Answer<'getEventEndpoint'>;

export function OneEndpoint({ id }: { readonly id: string }) {
  const { shell, desk } = useWords();
  const endpoint = useAsk('getEventEndpoint', { id }, { everyMs: 5_000 });
  const back = <Back to="/endpoints">{shell.endpoints}</Back>;
  return (
    <Page title={desk.endpoints.one} above={back}>
      <Read of={endpoint}>
        {(detail, at) => (
          <>
            <About detail={detail} />
            <Deliveries detail={detail} />
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Page>
  );
}

function About({ detail }: { readonly detail: Detail }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const { id, url, types, accounts, reason, createdAt, lastDeliveredAt, failingSince, waiting, undelivered } = detail;
  const facts = [
    [says.events, types === null ? says.allTypes : types.join(', ')],
    [desk.accounts, accounts === null ? desk.all : accounts.join(', ')],
    [says.createdAt, <Moment key="at" at={createdAt} />],
    [says.lastTaken, lastDeliveredAt === null ? says.never : <Moment key="at" at={lastDeliveredAt} />],
    ...(failingSince === null ? [] : [[says.failingSince, <Moment key="at" at={failingSince} />] as const]),
    ...(reason === null ? [] : [[says.lastAnswer, <AnswerOf key="answer" word={reason} />] as const]),
    [says.waiting, <Count key="count" value={waiting} />],
    [says.undelivered, <Count key="count" value={undelivered} />],
  ] as const;
  return (
    <Section title={url} beside={<StateOf endpoint={detail} />}>
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[max-content_1fr]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="mb-2 break-words sm:mb-0">{value}</dd>
          </div>
        ))}
      </dl>
      <Acts id={id} url={url} />
    </Section>
  );
}

function Acts({ id, url }: { readonly id: string; readonly url: string }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const [, go] = useLocation();
  const rotating = useAct('rotateEndpointSecret');
  const removing = useAct('deleteEventEndpoint');
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    const made = await rotating.act({ id });
    if (made) setSecret(made.secret);
    return made;
  };
  const remove = async () => {
    const done = await removing.act({ id });
    if (done) go('/endpoints');
    return done;
  };
  return (
    <div className="mt-5 border-t border-line pt-4">
      <div className="flex flex-wrap gap-3">
        <Test id={id} />
        <Replay id={id} />
        <AskFirst
          doing={rotating}
          onYes={rotate}
          label={says.rotate}
          says={says.rotateSays}
          name="rotateEndpointSecret"
        />
        <AskFirst
          doing={removing}
          onYes={remove}
          label={says.remove}
          says={says.removeSays}
          look="grave"
          name="deleteEventEndpoint"
        />
      </div>
      {secret !== undefined && (
        <Secret title={says.secretOf(url)} secret={secret} onKept={() => setSecret(undefined)} />
      )}
    </div>
  );
}

/** Sent at once, with the answer shown. */
function Test({ id }: { readonly id: string }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const doing = useAct('testEventEndpoint');
  const [tested, setTested] = useState<Answer<'testEventEndpoint'>>();
  const test = async (): Promise<void> => {
    setTested(undefined);
    setTested(await doing.act({ id }));
  };
  return (
    <>
      <button
        type="button"
        data-act="testEventEndpoint"
        className="button button-main"
        disabled={doing.isUnderWay}
        onClick={() => void test()}
      >
        {doing.isUnderWay ? says.testing : says.test}
      </button>
      <div className="order-last w-full empty:hidden">
        {tested && (
          <>
            <p role="status" className="flex items-center gap-2" data-tested={tested.taken}>
              <Sign tone={tested.taken ? 'done' : 'bad'} />
              {tested.taken ? says.testTaken : says.testNot} <AnswerOf word={tested.answer} /> ({tested.ms} ms)
            </p>
            {tested.request && <Raw title={says.testRequest} text={requestText(tested.request)} />}
            {tested.response && <Raw title={says.testResponse} text={tested.response.body} />}
          </>
        )}
        {doing.end?.is !== 'done' && <Ended end={doing.end} />}
      </div>
    </>
  );
}

function requestText({ url, headers, body }: NonNullable<Answer<'testEventEndpoint'>['request']>): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url}`, ...named, '', body].join('\n');
}

function Raw({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details className="mt-2">
      <summary>{title}</summary>
      <pre className="mt-2 max-h-96 overflow-auto rounded-lg bg-sunk p-3 text-sm wrap-anywhere whitespace-pre-wrap">
        {text}
      </pre>
    </details>
  );
}

function Replay({ id }: { readonly id: string }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const doing = useAct('replayEvents');
  const [since, setSince] = useState('');
  const [told, setTold] = useState<Answer<'replayEvents'>>();
  const words = useWords();
  const send = async () => {
    const done = await doing.act({ id, body: { since: new Date(since).toISOString() } });
    setTold(done);
    return done;
  };
  return (
    <>
      <AskForm doing={doing} label={says.replay} name="replayEvents" isReady={since !== ''} onSend={send}>
        <p className="mb-4 text-quiet">{says.replaySays}</p>
        <Field label={says.since} type="datetime-local" value={since} set={setSince} />
      </AskForm>
      {told && (
        <p role="status" className="order-last w-full" data-replayed={told.replayed}>
          {says.replayed(countIn(words, told.replayed))} {told.complete ? '' : says.notAll}
        </p>
      )}
    </>
  );
}

function Deliveries({ detail: { id, deliveries } }: { readonly detail: Detail }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  return (
    <Section title={says.deliveries}>
      {deliveries.length === 0 ? (
        <p className="text-quiet">{says.noDeliveries}</p>
      ) : (
        <Table
          caption={says.deliveries}
          columns={[
            { name: desk.audit.when },
            { name: says.event, wide: true },
            { name: says.answer },
            { name: desk.act, right: true },
          ]}
        >
          {deliveries.map((delivery) => (
            <Delivered key={`${delivery.at ?? ''}${delivery.event}${delivery.tries}`} id={id} delivery={delivery} />
          ))}
        </Table>
      )}
    </Section>
  );
}

interface DeliveredProps {
  readonly id: string;
  readonly delivery: Detail['deliveries'][number];
}

function Delivered({ id, delivery: { at, event, outcome, answer, tries } }: DeliveredProps) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const isTaken = outcome === 'delivered';
  return (
    <Line data-row={event}>
      <Cell>{at !== null && <Moment at={at} seconds />}</Cell>
      <Cell wide>
        <span className="break-all">{event}</span>
      </Cell>
      <Cell>
        <span
          className={`inline-flex items-center gap-1.5 ${isTaken ? 'text-done' : 'text-bad'}`}
          data-outcome={outcome}
        >
          <Sign tone={isTaken ? 'done' : 'bad'} /> <AnswerOf word={answer} />
        </span>
        <span className="block text-sm text-quiet">
          {says.outcomes[outcome] ?? outcome}, {says.tries(tries)}
        </span>
        <span className="block text-sm break-all text-quiet md:hidden">{event}</span>
      </Cell>
      <Cell right>
        <Resend id={id} event={event} />
      </Cell>
    </Line>
  );
}

function Resend({ id, event }: { readonly id: string; readonly event: string }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const doing = useAct('replayEvents');
  return (
    <AskFirst
      doing={doing}
      onYes={() => doing.act({ id, body: { event } })}
      label={says.resend}
      title={`${says.resend}: ${event}`}
      says={says.resendSays}
      name="resendEvent"
    />
  );
}

/** `http_500` as a text; failures before an answer have their own texts. */
function AnswerOf({ word }: { readonly word: string }) {
  const { desk } = useWords();
  const says = desk.endpoints;
  const status = /^http_(\d+)$/.exec(word)?.[1];
  return <span title={word}>{status === undefined ? (says.failures[word] ?? word) : says.answered(status)}</span>;
}
