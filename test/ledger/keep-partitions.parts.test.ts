/** Partitions of events and audit lines: created in advance, and dropped when they are not needed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditSeals } from '../../src/ledger/audit-seals.ts';
import { EventStream } from '../../src/ledger/event-stream.ts';
import { keepPartitions } from '../../src/ledger/keep-partitions.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type EventLedger, eventLedger } from '../support/published.ts';

const DAY_MS = 86_400_000;
const secrets = [new Secret('a secret')];

let now = new Date('2026-11-22T10:00:00Z');
let world: EventLedger;
beforeAll(async () => {
  world = await eventLedger({ now: () => now, secrets });
});
afterAll(() => world?.close());

test('months are made ahead, and dropped once no group needs their events and their lines are verified', async () => {
  const { database, ledger } = world;
  const [partitions, seals] = [new Partitions({ database }), new AuditSeals({ database, secrets })];
  const act = {
    by: 'settings',
    person: '',
    role: '',
    source: 'settings',
    requestId: '',
    act: 'audit.forget',
    target: '',
  } as const;
  const days = { eventsKeepMs: 30 * DAY_MS, auditKeepMs: 60 * DAY_MS };
  const stream = new EventStream({ database });
  const keep = () => keepPartitions({ database, partitions, events: stream, seals, act, ...days, now: () => now });
  const note = async (): Promise<void> => {
    await database.run('note_act', ['shop', 'awa', 'operate', 'api', 'limits.set', 'main', 'r', null, now, null]);
    await world.publish();
  };
  expect((await keep()).made).toEqual(
    expect.arrayContaining(['event_2026_11', 'event_2027_02', 'audit_line_2026_11']),
  );
  await world.emit('a', 'message.sent');
  await note();
  await ledger.query(`insert into relais.event_group (name, position) values ('slow', 0)`);
  now = new Date('2027-02-15T10:00:00Z');
  await world.emit('b', 'message.sent');
  await note();

  const first = await keep();
  expect(first.dropped).toEqual(['event_2026_12', 'audit_line_2026_11']);
  expect(first.forgotten).toBe(1);
  expect(await stream.at('1-1')).toMatchObject({ event: { id: 'a.1' } });
  await world.publish();
  expect(await seals.verify(now.getTime())).toMatchObject({ fault: undefined });
  expect(await seals.isCountRight()).toBe(true);

  await ledger.query(`update relais.event_group set position = 2`);
  expect((await keep()).dropped).toEqual(['event_2026_11']);
  expect((await stream.read(undefined, 10)).events.map(({ id }) => id)).toEqual(['b.1']);
  expect(await keep()).toMatchObject({ dropped: [], forgotten: 0 });
});

test('a changed line keeps its partition', async () => {
  const { database, ledger } = world;
  const [partitions, seals] = [new Partitions({ database }), new AuditSeals({ database, secrets })];
  const act = {
    by: 'settings',
    person: '',
    role: '',
    source: 'settings',
    requestId: '',
    act: 'audit.forget',
    target: '',
  } as const;
  await ledger.query(`update relais.audit_line set by = 'x' where number = 2`);
  now = new Date('2027-06-15T10:00:00Z');
  const events = new EventStream({ database });
  const kept = await keepPartitions({
    database,
    partitions,
    events,
    seals,
    act,
    eventsKeepMs: 30 * DAY_MS,
    auditKeepMs: 60 * DAY_MS,
    now: () => now,
  });
  expect(kept.fault?.why).toContain('MAC');
  expect(kept.dropped).not.toContain('audit_line_2027_02');
});
