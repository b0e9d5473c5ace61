import { expect, test } from 'vitest';
import { queueOf, statesOf, kinds } from '../../src/kinds/index.ts';
import { dueQueues } from '../../src/kinds/due-queues.ts';
import { queueNames, queues } from '../../src/queues/index.ts';
import { expectPage, table } from './page.ts';

test('every queue of the due index is declared under the same name', () => {
  expect(queueNames).toEqual(expect.arrayContaining([...dueQueues]));
});

test('docs/queues.md says what the declarations say', () => {
  const statesIn = (name: string): string =>
    kinds
      .flatMap((kind) =>
        statesOf(kind)
          .filter((state) => [queueOf(kind, state), queueOf(kind, state, 'otp')].some((queue) => queue === name))
          .map((state) => `${kind} \`${String(state)}\``),
      )
      .join(', ');
  const rows = queueNames.map((name) => {
    const { summary, retryAfter, waits, givesUpAs, share } = queues[name];
    const retries = retryAfter.length > 0 ? `${retryAfter.join(', ')}, and so on` : 'never';
    const each = 'inBulk' in queues[name] ? 'what is due, in bulk' : name === 'intake' ? 'a request' : 'an id';
    return [`\`${name}\``, summary, each, statesIn(name), String(share), retries, waits, givesUpAs];
  });
  const head = [
    'queue',
    'carries',
    'a job is',
    'states looked at here',
    'share of WORKER_CONCURRENCY',
    'retried after',
    'waits',
    'gives up as',
  ];
  expectPage(
    'docs/queues.md',
    `# What happens in which queue?

A job is a wake-up: it carries an id and nothing else, or nothing at all where what is due is taken in bulk: a worker
takes as many as it has slots free, with or without a wake-up, and each of them is an attempt of its own with a lease of
its own. Losing one or running one twice is harmless, because the record decides and the due index wakes again. A job
\`{id}\` of a caller is an attempt at that operation in either case. Only \`intake\` takes requests: [intake.schema.json](intake.schema.json) says
what they may hold, for any language (also at \`GET /v1/schemas/intake\`), and its result is \`{id, outcome}\`.

"Retried" is only what provably did not happen; there is no limit of attempts, only one of time. What may have happened
is \`unknown\` and is looked at instead.

${table(head, rows)}
`,
  );
});
