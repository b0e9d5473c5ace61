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
    const each = 'inBulk' in queues[name] ? 'due operations, in bulk' : name === 'intake' ? 'a request' : 'an id';
    return [`\`${name}\``, summary, each, statesIn(name), String(share), retries, waits, givesUpAs];
  });
  const head = [
    'queue',
    'carries',
    'a job is',
    'states that this queue handles',
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

## Clients in other languages

A job of \`intake\` is a job of BullMQ: queue \`intake\`, prefix \`{relais}\` (\`REDIS_PREFIX\` of the workers), and data as in
[intake.schema.json](intake.schema.json). BullMQ has clients of its own for several languages:

| client | tested with relais |
| --- | --- |
| \`bullmq\` of npm, for Node.js | yes, in every run of the tests: [examples/enqueue-bullmq.ts](../examples/enqueue-bullmq.ts) |
| \`bullmq\` of PyPI, for Python | no: the machine that runs the tests cannot download it |
| its clients for PHP, Elixir, .NET and Rust | no, for the same reason |

Before you rely on a client that is not tested, check it against \`relais dev\` in three steps:

1. Add a job. It ends with the result \`{id, outcome: "accepted"}\`.
2. Add the same job again. The result has the same id and the outcome \`duplicate\`.
3. Add a job with the amount 0. It fails, the reason names \`/amount\`, and \`relais intake list\` shows it.

HTTP and SQL need no client of BullMQ. \`examples/\` has tested programs: SQL in PHP, Python, Java and TypeScript, HTTP in PHP,
Python, TypeScript and with curl.

A Redis list is no way in: a value that a program pushes to a list of its own is read by no worker, and nobody is told. A job is
several keys that the scripts of BullMQ write together.
`,
  );
});
