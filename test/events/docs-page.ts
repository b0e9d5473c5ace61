import { anEvent, jsonSchemaOf } from '../../src/events/catalogue.ts';
import { RETRY_AFTER } from '../../src/events/library.ts';
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
with its event, and the event is stored for \`EVENTS_KEEP\`. You get each event **at least once**: \`id\` is the same each
time, so store the ids that you have handled. \`sequence\` grows by one for each event of an operation. Events of different
operations have no promised order. Ignore fields that you do not know: new fields may be added.

There are four ways to get events, and you can use several of them.

| way | use it if |
| --- | --- |
| read pages: \`GET /v1/events\`, \`relais events\` | you ask when it suits you |
| follow: \`GET /v1/stream\`, \`relais events --follow\` | you want each event at once and can keep a connection open |
| subscribe: \`onEvent\` of \`relais/events\` | your service runs on Node.js and may connect to the PostgreSQL of relais |
| webhooks: \`POST /v1/event-endpoints\` | relais should call you |

**Read pages.** \`GET /v1/events?after=…\` returns the events after the cursor \`next\` of the page before. With \`types\`, or with
a key that is limited to accounts, a page can be short or empty; \`more\` says whether there are more. A cursor older than the
oldest stored event is answered 410 with the oldest cursor (\`null\` if there is none). A cursor from before a recovery, or ahead
of the stream, is answered 410 with the type \`/ahead-of-the-stream\`: PostgreSQL was restored to an earlier point, and final
states that you know can be reported again. Read the current state of your operations, then read events without a cursor.

**Follow.** \`GET /v1/stream\` sends each event as a server-sent event. Its \`id\` is a cursor: an \`EventSource\` sends it as
\`Last-Event-ID\` when it reconnects, and the stream continues after it, with the same 410. Without a cursor the stream begins now.
\`types=\` filters. A comment every 15 s shows that the connection is alive, and its \`id\` advances past filtered events.
\`follow\` of [\`createClient\`](http.md#the-client-of-the-package) does all of this.

**Subscribe.** Consumers of one group share the events; every group gets all of them:

\`\`\`ts
import { onEvent } from 'relais/events';

await onEvent({ database, group: 'orders', handler: async (event) => settleOrder(event), signal });
\`\`\`

\`database\` is the \`DATABASE_URL\` of relais. If the handler throws, any consumer of the group tries again after
${RETRY_AFTER.join(', ')}. Then the event is a dead letter in the table \`relais.dead_letter\`. \`onError\` receives each error.
\`anEvent('disbursement.succeeded')\` makes an event for your tests. Keep the library as new as the workers.

Other languages read the view \`relais.events\` (\`position\`, \`id\`, \`type\`, \`account\`, \`at\`, \`data\`) with the role
\`relais_reader\`. Positions have no gaps that are filled later: store the highest position that you have handled, and read on from there.

**Webhooks.** \`POST /v1/event-endpoints {"url", "types"?, "headers"?}\` returns a secret, which is shown at that moment alone.
\`headers\` are up to 10 headers that each delivery has besides, for example the key of a gateway. relais encrypts their values and never
returns them. A header of the connection (\`Host\`, \`Content-Length\`, …) or of the signature (\`webhook-…\`) is refused.`;

const DELIVERIES = `## Signed deliveries

relais posts each event as JSON to every endpoint that asked for its type and whose key may use its account. Any 2xx answer within
ten seconds accepts the event; a redirect is a failure. The headers follow Standard Webhooks, so a library for your language
can verify them: \`webhook-id\` (the id of the event), \`webhook-timestamp\` (refuse an event older than five minutes) and
\`webhook-signature\`: \`v1,\` and the base64 of HMAC-SHA256 over \`id.timestamp.body\`, with the bytes of the secret (base64 after
\`whsec_\`) as key. There can be two or three signatures, separated by spaces: for a day after \`POST …/{id}/rotate-secret\` the old
secret signs too.

Check a delivery in four steps: take the raw bytes of the body, before any parser. Refuse an old timestamp. Compute the signature, and compare it
with each one of the header in constant time. Then parse the body. Complete programs:
[PHP](../examples/webhook/verify.php), [Python](../examples/webhook/verify.py), [Java](../examples/webhook/Verify.java),
[TypeScript](../examples/webhook/verify.ts).

From TypeScript, \`verifyWebhook\` of \`relais/client\` checks all of this. It returns the event, or throws \`NotFromRelais\`
(\`TypeError\` if the secret is empty, because anybody could sign with it):

\`\`\`ts
import { verifyWebhook } from 'relais/client';

const event = verifyWebhook({ secret, headers: request.headers, body: bytes });
\`\`\`

A refused event is posted again after ${eventDelivery.retryAfter.join(', ')}, each wait up to a fifth longer. Then it
is undelivered. A failing endpoint is tried with one event at a time, with waits of up to five minutes; it delays no other endpoint.
After three days without a success, with events to post all the time, relais disables the endpoint and emits \`endpoint.disabled\`. An
event older than \`EVENTS_KEEP\` becomes undelivered too, and does not count as a failure of the endpoint.
\`POST …/{id}/replay {"since"}\` delivers all events since then again, \`{"event"}\` one event, and both enable the endpoint.
\`GET …/{id}\` shows the last 200 attempts. \`POST …/{id}/test\` (\`relais endpoints test\`) delivers one \`endpoint.tested\` event now and
shows the request, the answer with its first 1,000 bytes, and the time.

An address must be https on port 443 of a public host. \`ALLOW_LOOPBACK_ENDPOINTS=on\` allows this machine, for tests.

## Hosts of your own network

An operator lists them in \`WEBHOOK_HOSTS\`, for the processes with the role \`api\` or \`worker\`. Each entry has one of three forms:

| entry | allows |
| --- | --- |
| \`payroll.internal:8080\` | this host (a name or an address) at this port |
| \`*.internal:8080\` | every name below \`internal\` at this port |
| \`10.1.0.0/16\` | URLs with an address of this network instead of a name, at any port |

Deliveries to these hosts can use http. A listed name can resolve to private, loopback and public addresses. relais checks the addresses
at each connection. No entry opens link-local addresses, metadata services of clouds or IPv6 addresses that carry an IPv4 address.
relais never follows a redirect. For https with a certificate authority of your own, start relais with \`NODE_EXTRA_CA_CERTS\`.`;

/** docs/events.md, whole. */
export function eventsPage(): string {
  return `${[INTRODUCTION, DELIVERIES, typesTable(), ...eventSubjects.map(subjectSection), envelope()].join('\n\n')}\n`;
}

function typesTable(): string {
  const rows = eventTypes.map((type) => [code(type), catalogue[type].says]);
  return `## Types\n\n${table(['type', 'what is now true'], rows)}`;
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
  const example = JSON.stringify(anEvent(first), null, 2);
  const fields = table(['field of `data`', 'type', '', 'meaning'], fieldsOf(first, 'data'));
  return `### ${subject}\n\n${fields}\n\n\`\`\`json\n${example}\n\`\`\``;
}

function envelope(): string {
  const fields = fieldsOf('message.sent').filter(([name]) => name !== '`data`' && name !== '`type`');
  return `### Around every \`data\`\n\n${table(['field', 'type', '', 'meaning'], fields)}`;
}
