import { expect, test } from 'vitest';
import { queueOf, statesOf, kinds } from '../../src/kinds/index.ts';
import { dueQueues } from '../../src/kinds/due-queues.ts';
import { queueNames, queues } from '../../src/queues/index.ts';
import { expectPage, table } from './page.ts';

test('every queue of the due index is declared under the same name', () => {
  expect(queueNames).toEqual(expect.arrayContaining([...dueQueues]));
});

test('docs/queues.md matches the declarations', () => {
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
    `# Queues

This page is for developers who add jobs to a queue of relais, and for operators who pause or watch one.

Only \`intake\` takes requests. [intake.schema.json](intake.schema.json) describes their data for any language (also at
\`GET /v1/schemas/intake\`), and the result of a job is \`{id, outcome}\`.

A job of any other queue only wakes a worker, which then claims all due operations of that queue from PostgreSQL. Workers also
claim them every \`SWEEP_INTERVAL\` without a job, so a lost or repeated job changes nothing.

*Retried after* is for requests that provably did not reach the provider, or had no effect. Attempts are limited by time, not by
number. A request that may have had an effect is \`unknown\`: relais checks its status instead.

${table(head, rows)}
`,
  );
});
