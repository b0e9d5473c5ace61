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

const INTRODUCTION = `# How do I hear how it ended?

An event is written in the same step as the state that it announces, once per change, and kept for \`EVENTS_KEEP\`.
It is delivered **at least once**: \`id\` is the same each time, so keep the ids that you have dealt with. \`sequence\`
grows by one for each event of an operation; between operations no order is promised. Fields may be added; leave alone
what you do not know. There are four ways to get them, and they may be used side by side.

**Ask**: \`GET /v1/events?after=…\` (or \`relais events\`) gives what came after the cursor \`next\` of the
page before. With \`types\`, or a key that is bound to accounts, a page may be short or empty because others were stepped
over; \`more\` says whether the end was reached. A cursor older than what is kept is answered 410 with the oldest one (\`null\` where none is). So is one that the stream does not
come to, or that was given before a recovery (type \`/ahead-of-the-stream\`): Redis was put back, or has lost something,
and ends that you were told may be told again. Take stock, then read on without a cursor.

**Follow**: \`GET /v1/stream\` (or \`relais events --follow\`) tells each event as it comes, as server-sent events. Each \`id\` is
such a cursor: \`Last-Event-ID\`, which an \`EventSource\` sends by itself, goes on behind it, with the same 410. Without one
it begins now. \`types=\` filters, a key that is bound to accounts sees only theirs, and every 15 s a comment shows that the
line is alive; its \`id\` moves on past what was filtered out. \`follow\` of
[\`createClient\`](http.md#the-client-of-the-package) does all of that. All readers of a process share one read of Redis.

**Listen**, from Node, next to the Redis of relais. The consumers of one group share the events, every group sees all:

\`\`\`ts
import { onEvent } from 'relais/events';

await onEvent({ redis, group: 'orders', handler: async (event) => settleOrder(event), signal });
\`\`\`

A handler that throws is tried again, by any consumer of its group, after ${RETRY_AFTER.join(', ')}; then the
event is put aside in the stream \`{relais}:events:dead:<group>\`. \`anEvent('disbursement.succeeded')\` makes one for
your tests. \`onError\` is told of each such failure, and at the start (\`CursorTooOld\`) where events were forgotten before
the group had read them: take stock then, as at the 410. Keep the library as new as the workers: an older one fails on events that it cannot read, and tries them
again.

In another language, read \`op\`, \`seq\`, \`at\` (ms), \`account\` and \`type\` of each entry of \`{relais}:events\`. \`data\` is
packed in a form of our own: ask over HTTP for what it holds. Where the workers have another \`REDIS_PREFIX\`, the names
of both streams begin with that.

**Be posted to**: \`POST /v1/event-endpoints {"url", "types"?}\` answers a secret, once. See below.`;

const DELIVERIES = `## Signed deliveries

Each event is posted as JSON to every endpoint that asked for its type and whose key may use its account. Any 2xx
within ten seconds means that you have it; a redirect is a failure. The headers are those of Standard Webhooks, so a
library for your language checks them: \`webhook-id\` (the id of the event), \`webhook-timestamp\` (refuse what is older
than five minutes) and \`webhook-signature\`, \`v1,\` and the base64 of HMAC-SHA256 over \`id.timestamp.body\` with the
secret's bytes (base64 after \`whsec_\`). There may be two or three signatures, separated by spaces: for a day after
\`POST …/{id}/rotate-secret\` the old secret signs too, also where another is asked for in that day.

From TypeScript, \`verifyWebhook\` of \`relais/client\` checks all of that, and answers the event or throws \`NotFromRelais\` (and
a \`TypeError\` where the secret is empty: anybody could sign with that):

\`\`\`ts
import { verifyWebhook } from 'relais/client';

const event = verifyWebhook({ secret, headers: request.headers, body: bytes });
\`\`\`

What is not taken is posted again after ${eventDelivery.retryAfter.join(', ')}, each wait up
to a fifth longer; then it is put aside. While an endpoint fails it is tried with one event at a time and left alone for up to five minutes in between; it
slows no other. After three days without a success, with always something to post, it is disabled, and \`endpoint.disabled\` says so. An event that
\`EVENTS_KEEP\` has forgotten meanwhile is put aside too, and is no failure of the endpoint.
\`POST …/{id}/replay {"since"}\` brings back everything since then, \`{"event"}\` only one, and enables
it again; \`GET …/{id}\` shows the last 200 tries.

An address must be https on port 443 of a public host. \`ALLOW_LOOPBACK_ENDPOINTS=on\` allows this machine, for trying
out.`;

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
