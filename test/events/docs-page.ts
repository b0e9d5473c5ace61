import { anEvent, jsonSchemaOf } from '../../src/events/catalogue.ts';
import { RETRY_AFTER, RETRY_AFTER_OVER_HTTP } from '../../src/events/library.ts';
import {
  type EventType,
  type Subject,
  catalogue,
  eventSubjects,
  eventTypes,
  subjectOf,
} from '../../src/kinds/index.ts';
import { eventDelivery } from '../../src/queues/index.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n');

const INTRODUCTION = `# Events and webhooks

This page is for developers of other services that need the result of their requests. Each change of state is committed together
with its event, and relais stores the event for \`EVENTS_KEEP\`. You get each event **at least once**, within that time.

- \`id\` is the same each time: store the ids that you have handled.
- \`sequence\` grows by one for each event of an operation. Events of different operations have no promised order.
- A final state can be followed by a later truth: \`late: true\`, \`disbursement.reversed\` or \`disbursement.needs_review\`. Handle all three.

[Event types and fields](event-types.md) lists all events. There are four ways to get them, and you can use several.

| way | use it if |
| --- | --- |
| read pages: \`GET /v1/events\`, \`relais events\` | you ask when it suits you |
| follow: \`GET /v1/stream\`, \`relais events --follow\` | you want each event at once and can keep a connection open |
| subscribe: \`onEvent\` of \`relais/events\` | your service runs on Node.js |
| webhooks: \`POST /v1/event-endpoints\` | relais should call you |

## Read pages

\`GET /v1/events?after=…\` returns the events after the cursor \`next\` of the page before. With \`types\`, or with a key that is limited to
accounts, a page can be short or empty; \`more\` says whether there are more.

| cursor | answer |
| --- | --- |
| older than the oldest stored event | 410 with the oldest cursor (\`null\` if there is none) |
| from before a recovery, or ahead of the stream | 410 with the type \`/ahead-of-the-stream\`: PostgreSQL was restored to an earlier point. Read the current state of your operations, then read events without a cursor |

## Follow the stream

\`GET /v1/stream\` sends each event as a server-sent event. Its \`id\` is a cursor: an \`EventSource\` sends it as \`Last-Event-ID\` when it
reconnects, and the stream continues after it, with the same 410. Without a cursor the stream begins now. \`types=\` filters. A comment every
15 s shows that the connection is alive, and its \`id\` advances past filtered events. \`follow\` of
[\`createClient\`](http.md#client-of-the-package) does all of this.

## Subscribe with onEvent

With the PostgreSQL of relais, consumers of one group share the events; every group gets all of them:

\`\`\`ts
import { onEvent } from 'relais/events';

await onEvent({ database, group: 'orders', handler: async (event) => settleOrder(event), signal });
\`\`\`

\`database\` is the \`DATABASE_URL\` of relais. If the handler throws, any consumer of the group tries again after
${RETRY_AFTER.join(', ')}. Then the event is a dead letter in the table \`relais.dead_letter\`. \`onError\` receives each error.
\`anEvent('disbursement.succeeded')\` makes an event for your tests. Keep the library as new as the workers.

Over HTTP, with an API key that has the role \`read\`, one consumer stores its own position:

\`\`\`ts
const cursor = { read: () => orders.cursor(), write: (place) => orders.storeCursor(place) };
await onEvent({ url: 'http://relais.internal:3000', key, cursor, handler: async (event) => settleOrder(event), signal });
\`\`\`

\`read\` returns the position that was written last, or nothing at the first start. \`write\` resolves when the position is stored
durably: it follows the handler, so an event comes again if the consumer dies between the two. An event whose handler throws
is tried again after ${RETRY_AFTER_OVER_HTTP.join(', ')}, then every ${RETRY_AFTER_OVER_HTTP.at(-1)}, and holds up the events behind it: there are no dead letters. Two
consumers with the same cursor both handle each event. An API that is away is waited for. \`onEvent\` throws \`Refused\` for a key
that may not read events (401, 403). It does so too for a position that is too old, or from before a restore (410).

Other languages read the view \`relais.events\` (\`position\`, \`id\`, \`type\`, \`account\`, \`at\`, \`data\`) with the role
\`relais_reader\`. No position is filled in later: store the highest position that you have handled, and read on from there.`;

const DELIVERIES = `## Webhooks

\`POST /v1/event-endpoints {"url", "types"?, "headers"?}\` registers an address and returns a secret, which is shown at that moment alone.
\`headers\` are up to 10 additional headers of each delivery, for example the key of a gateway. relais encrypts their values and never returns
them. Headers of the connection (\`Host\`, \`Content-Length\`, …) and of the signature (\`webhook-…\`) are refused.

relais posts each event as JSON to every endpoint that asked for its type and whose key may use its account. Any 2xx answer within
ten seconds accepts the event; a redirect is a failure.

### Verify the signature

The headers follow Standard Webhooks: \`webhook-id\` (the id of the event), \`webhook-timestamp\`, and \`webhook-signature\`: \`v1,\` and the
base64 of HMAC-SHA256 over \`id.timestamp.body\`. The key is the bytes of the secret (base64 after \`whsec_\`). There can be several
signatures, separated by spaces: for a day after \`POST …/{id}/rotate-secret\` the old secret signs too.

1. Take the raw bytes of the body, before any parser.
2. Refuse a timestamp older than five minutes.
3. Compute the signature, and compare it with each signature of the header in constant time.
4. Parse the body.

Complete programs: [PHP](../examples/webhook/verify.php), [Python](../examples/webhook/verify.py),
[Java](../examples/webhook/Verify.java), [TypeScript](../examples/webhook/verify.ts). From TypeScript, \`verifyWebhook\` of
\`relais/client\` checks all of this. It returns the event, or throws \`NotFromRelais\` (\`TypeError\` if the secret is empty):

\`\`\`ts
import { verifyWebhook } from 'relais/client';

const event = verifyWebhook({ secret, headers: request.headers, body: bytes });
\`\`\`

### Retries and replay

A refused event is posted again after ${eventDelivery.retryAfter.join(', ')}, each wait up to a fifth longer. Then it
is undelivered. relais tries a failing endpoint with one event at a time, with waits of up to five minutes; it delays no other endpoint.
After three days of attempts without a success, relais disables the endpoint and emits \`endpoint.disabled\`. An event older than
\`EVENTS_KEEP\` becomes undelivered too, and does not count as a failure.

| request | effect |
| --- | --- |
| \`POST …/{id}/replay {"since"}\` or \`{"event"}\` | delivers all events since then, or one event, again, and enables the endpoint |
| \`GET …/{id}\` | shows the last 200 attempts |
| \`POST …/{id}/test\` (\`relais endpoints test\`) | delivers one \`endpoint.tested\` event now, and shows the request, the first 1,000 bytes of the answer, and the time |

### Allowed addresses

An address must be https on port 443 of a public host. \`ALLOW_LOOPBACK_ENDPOINTS=on\` allows this machine, for tests. An operator lists hosts
of your own network in \`WEBHOOK_HOSTS\`, for the processes with the role \`api\` or \`worker\`:

| entry | allows |
| --- | --- |
| \`payroll.internal:8080\` | this host (a name or an address) at this port |
| \`*.internal:8080\` | every name below \`internal\` at this port |
| \`10.1.0.0/16\` | URLs with an address of this network instead of a name, at any port |

To receive deliveries on your own machine while you try: \`WEBHOOK_HOSTS=127.0.0.1:8080 ./bin/relais.js dev\`, then
\`relais endpoints create http://127.0.0.1:8080/hook\`.

Deliveries to these hosts can use http. relais checks the addresses at each connection, and never follows a redirect. No entry opens
link-local addresses, metadata services of clouds, or IPv6 addresses that carry an IPv4 address. For https with a certificate authority of
your own, start relais with \`NODE_EXTRA_CA_CERTS\`.`;

/** The whole of docs/events.md. */
export function eventsPage(): string {
  return `${[INTRODUCTION, DELIVERIES].join('\n\n')}\n`;
}

const TYPES = `# Event types and fields

This page is for developers who handle events. [Events and webhooks](events.md) says how to get them. Ignore fields that you do not know: new
fields may be added.`;

/** docs/event-types.md, whole. */
export function eventTypesPage(): string {
  return `${[TYPES, typesTable(), envelope(), ...eventSubjects.map(subjectSection)].join('\n\n')}\n`;
}

function typesTable(): string {
  const rows = eventTypes.map((type) => [code(type), catalogue[type].says]);
  return `## Types\n\n${table(['type', 'meaning'], rows)}`;
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

function fieldsOf(type: EventType, part?: 'data'): readonly (readonly string[])[] {
  const whole = jsonSchemaOf(type) as { properties: Record<string, Property>; required: string[] };
  const schema = part === undefined ? whole : (whole.properties[part] as unknown as typeof whole);
  return Object.entries(schema.properties).map(([name, { type: kind = '', enum: values, description = '' }]) => [
    code(name),
    values ? values.map(code).join(' ') : kind,
    schema.required.includes(name) ? 'always' : '',
    description,
  ]);
}

function subjectSection(subject: Subject): string {
  const [first] = eventTypes.filter((type) => subjectOf(type) === subject);
  if (first === undefined) throw new Error(`no event of ${subject}`);
  return `## Fields of ${subject} events\n\n${table(['field of `data`', 'type', '', 'meaning'], fieldsOf(first, 'data'))}`;
}

function envelope(): string {
  const fields = fieldsOf('message.sent').filter(([name]) => name !== '`data`' && name !== '`type`');
  const example = JSON.stringify(anEvent('disbursement.succeeded'), null, 2);
  return `## Fields of every event\n\n${table(['field', 'type', '', 'meaning'], fields)}\n\n\`\`\`json\n${example}\n\`\`\``;
}
