/** Switches and looks of operators: queues, endpoints of events, callbacks, balances. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../kinds/event-types.ts';
import { queueNames } from '../queues/index.ts';
import { type Ask, addAsk } from './asking.ts';
import { listOf } from './flags.ts';
import type { Shell } from './shell.ts';

const EXAMPLE_ENDPOINT = 'ep_4n7q0c1w2e3r4t5y6z7a8b9c0d';

export function addOperatingCommands(program: Command, shell: Shell): void {
  addGroup(program, shell, { name: 'queues', description: 'What waits where, and the switches', asks: queueAsks });
  addGroup(program, shell, { name: 'endpoints', description: 'Where events are posted to', asks: endpointAsks });
  addGroup(program, shell, { name: 'secrets', description: 'What is kept sealed in Redis', asks: secretAsks });
  addAsk(program, shell, {
    name: 'callback',
    description:
      'What was last posted to us about an operation, with its secrets left out; not kept where it agrees with a success',
    method: 'GET',
    argument: '<id>',
    path: (id) => `/v1/callbacks/${id}`,
    example: 'relais callback dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d',
  });
  addAsk(program, shell, {
    name: 'balances',
    description: 'What is left, roughly: nothing is decided by it',
    method: 'GET',
    argument: '[number]',
    path: (number) => (number === '' ? '/v1/balances' : `/v1/balances/${number}`),
    options: [new Option('--account <name>', 'account whose balances they are')],
    send: ({ account }) => ({ account }),
    example: 'relais balances --account main',
  });
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly asks: readonly Ask[];
}

function addGroup(program: Command, shell: Shell, { name, description, asks }: Group): void {
  const group = program.command(name).description(description);
  for (const ask of asks) addAsk(group, shell, ask);
}

const queueAsks: readonly Ask[] = [
  {
    name: 'list',
    description: 'Every queue: paused or not, how much waits, is at work, is due',
    method: 'GET',
    path: () => '/v1/queues',
    example: 'relais queues list',
  },
  {
    name: 'pause',
    description: `Begin nothing more in this queue, of ${queueNames.join(', ')}; what is at work goes on`,
    method: 'POST',
    argument: '<name>',
    path: (name) => `/v1/queues/${name}/pause`,
    question: (name) => `Pause the queue ${name}, for all accounts?`,
    next: (_body, name) => `To let it go on: relais queues resume ${name}`,
    example: 'relais queues pause disbursement',
  },
  {
    name: 'resume',
    description: 'Let a paused queue go on',
    method: 'POST',
    argument: '<name>',
    path: (name) => `/v1/queues/${name}/resume`,
    example: 'relais queues resume disbursement',
  },
];

const endpointAsks: readonly Ask[] = [
  {
    name: 'create',
    description: 'Have events posted to an address, signed; the secret is shown once',
    method: 'POST',
    argument: '<url>',
    path: () => '/v1/event-endpoints',
    options: [new Option('--types <types>', `only these, of ${eventTypes.join(',')}`).argParser(listOf(eventTypes))],
    send: ({ types }, url) => ({ url, types }),
    next: () => 'Keep the secret: it is not shown again. `relais endpoints rotate-secret` makes another.',
    example: 'relais endpoints create https://shop.example/relais --types disbursement.succeeded',
  },
  {
    name: 'list',
    description: 'The endpoints of this key',
    method: 'GET',
    path: () => '/v1/event-endpoints',
    example: 'relais endpoints list',
  },
  {
    name: 'show',
    description: 'How far an endpoint is, and what became of the last deliveries',
    method: 'GET',
    argument: '<id>',
    path: (id) => `/v1/event-endpoints/${id}`,
    example: `relais endpoints show ${EXAMPLE_ENDPOINT}`,
  },
  {
    name: 'delete',
    description: 'Post nothing more there',
    method: 'DELETE',
    argument: '<id>',
    path: (id) => `/v1/event-endpoints/${id}`,
    question: (id) => `Post no more events to ${id}?`,
    example: `relais endpoints delete ${EXAMPLE_ENDPOINT}`,
  },
  {
    name: 'replay',
    description: 'Post again what happened since then',
    method: 'POST',
    argument: '<id>',
    path: (id) => `/v1/event-endpoints/${id}/replay`,
    options: [new Option('--since <time>', 'such as 2026-11-21T08:00:00Z').makeOptionMandatory().argParser(readTime)],
    send: ({ since }) => ({ since }),
    example: `relais endpoints replay ${EXAMPLE_ENDPOINT} --since 2026-11-21T08:00:00Z`,
  },
  {
    name: 'rotate-secret',
    description: 'Make a new secret; for a while deliveries are signed with both',
    method: 'POST',
    argument: '<id>',
    path: (id) => `/v1/event-endpoints/${id}/rotate-secret`,
    question: (id) => `Make a new secret for ${id}?`,
    next: () => 'Keep the secret: it is not shown again.',
    example: `relais endpoints rotate-secret ${EXAMPLE_ENDPOINT}`,
  },
];

const secretAsks: readonly Ask[] = [
  {
    name: 'rotate',
    description: 'Seal everything with the first of SEALING_SECRET, once every process has the new list',
    method: 'POST',
    path: () => '/v1/secrets/rotate',
    next: ({ unreadable }) =>
      Array.isArray(unreadable) && unreadable.length > 0
        ? `No secret opens what these have: relais endpoints rotate-secret ${String(unreadable[0])}`
        : 'The older ones can be taken out of SEALING_SECRET now.',
    example: 'relais secrets rotate',
  },
];

function readTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Write a time such as 2026-11-21T08:00:00Z.');
}
