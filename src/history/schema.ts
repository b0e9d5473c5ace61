/**
 * What stands in the database: a schema `relais`, a table for each declaration of `kinds/tables.ts`, two views, and two
 * roles. It only ever grows: a declaration that has gained a column or a table raises VERSION, and the first process of
 * that version adds it. An older process beside it goes on with the columns that it knows.
 */
import { type Kind, type KindOfMoney, asDeclared, isFinal, isKept, kinds, statesOf } from '../kinds/index.ts';
import { type Column, ROW_TIME, type Table, kindTables, tables } from '../kinds/tables.ts';

/** Raised with each change of what is declared below, or in `kinds/tables.ts`. */
export const VERSION = 9;

/** Held while the schema is changed, so that processes that start together change it one after the other. */
export const SCHEMA_LOCK = 7_236_817;

export const WRITER = 'relais_writer';
const READER = 'relais_reader';

/** Needs the user of HISTORY_URL itself; all that follows belongs to the writer. */
export const foundations: readonly string[] = [
  ...[WRITER, READER].map(
    (role) => `do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
    exception when duplicate_object or unique_violation then null; end $$`,
  ),
  `do $$ begin
    if not pg_has_role(current_user, '${WRITER}', 'member') then execute format('grant ${WRITER} to %I', current_user); end if;
  end $$`,
  `do $$ begin
    if not exists (select from pg_namespace where nspname = 'relais') then create schema relais authorization ${WRITER}; end if;
  end $$`,
];

const columnIn = ({ name, type, sure }: Column): string => `${name} ${type}${sure ? ' not null' : ''}`;

function tableIn({ table, columns, key }: Table): string[] {
  const listed = [...columns.map(columnIn), `primary key (${key.join(', ')})`].join(', ');
  return [
    `create table if not exists relais.${table} (${listed}) partition by range (${ROW_TIME})`,
    // What was declared since: it is empty in the rows that were there before.
    ...columns.map(({ name, type }) => `alter table relais.${table} add column if not exists ${name} ${type}`),
  ];
}

/** By what rows are looked for besides their names. */
const indexes: readonly (readonly [table: string, columns: string, using?: 'gin'])[] = [
  // For lists: walked down, and of a state that few are in found at once.
  ...Object.values(kindTables).flatMap(({ table }) => [
    [table, ROW_TIME] as const,
    [table, `state, ${ROW_TIME}`] as const,
  ]),
  ...Object.values(kindTables)
    .filter(({ columns }) => columns.some(({ name }) => name === 'reference'))
    .map(({ table }) => [table, 'account, reference'] as const),
  ...Object.values(kindTables).map(({ table }) => [table, 'names', 'gin'] as const),
  ['events', 'operation, sequence'],
  ['recipients', 'campaign, row_number'],
];

/** The column with the XOF of a kind that moves money. */
const xofOf: Readonly<Record<KindOfMoney, string>> = {
  disbursement: 'amount',
  direct_credit: 'amount',
  invoice: 'total_amount',
  payment_request: 'amount',
};

const movesMoney = (kind: Kind): kind is KindOfMoney => kind in xofOf;

/**
 * Of several rows of one id the one that was accepted last: what was accepted in a time that was lost, and again after
 * it, has a row of each time.
 */
const acceptedLast = (table: string): string => `select * from relais.${table} d where not exists (
      select from relais.${table} n where n.id = d.id and n.${ROW_TIME} > d.${ROW_TIME})`;

/** What nobody may ever know more about, or a person has to settle. */
const inDoubt = kinds
  .flatMap((kind) => {
    const open = statesOf(kind).filter((state) => isKept(kind, state) && !isFinal(kind, state));
    const { table, by } = kindTables[kind] ?? {};
    if (table === undefined || open.length === 0) return [];
    // A table that is cut by day has too many parts to look for later ones; none of them moves money.
    const from = by === 'day' ? `relais.${table}` : `(${acceptedLast(table)}) last`;
    const xof = movesMoney(kind) ? xofOf[kind] : 'null::bigint';
    const states = quoted(open);
    return [
      `select '${kind}' as kind, id, state, account, reference, ${xof} as xof, created_at, since
       from ${from} where state in (${states})`,
    ];
  })
  .join(' union all ');

const ends = statesOf('disbursement').filter((state) => isFinal('disbursement', state));
const measures = ['accepted', ...ends, 'collected', 'credited'];
const dayOf = (time: string): string => `(${time} at time zone zone.name)::date`;
const paysIn = kinds.filter((kind) => asDeclared(kind).money === 'in');

/**
 * What happened on each day, of what is over by now: made of the events and the rows, and not of the book that the
 * API's report is made of, so that the two can be compared. What was told before and is taken back counts one less, on
 * the day on which it was; what was reversed was paid on its day, and stays so. The events of what was accepted again
 * after a time that was lost have numbers that begin again: the later ones count. An event that was told again counts
 * once.
 */
const daily = `with zone as (select coalesce((select value from relais.facts where name = 'timezone'), 'UTC') as name),
  payments as (${acceptedLast('disbursements')}),
  ended as (
    select ${dayOf('e.created_at')} as day, e.operation, split_part(e.type, '.', 2) as state,
      split_part(before.type, '.', 2) as was
    from relais.events e cross join zone left join lateral (
      select b.type from relais.events b where e.sequence > 1 and b.operation = e.operation and b.sequence < e.sequence
      order by b.sequence desc, b.created_at desc limit 1) before on true
    where e.type like 'disbursement.%' and not exists (
      select from relais.events n
      where n.operation = e.operation and n.sequence = e.sequence
        and (n.created_at, n.place) > (e.created_at, e.place))),
  moved as (
    select day, operation, state as measure, 1 as times from ended where state in (${quoted(ends)})
    union all select day, operation, was, -1 from ended where was in (${quoted(ends)}) and state <> 'reversed'
    union all select day, operation, 'succeeded', 1 from ended
      where state = 'reversed' and coalesce(was, '') not in (${quoted(ends)})),
  posted as (
    select m.day, d.account, d.withdraw_mode, m.measure, m.times, m.times * d.amount as xof
    from moved m join payments d on d.id = m.operation
    union all select ${dayOf('d.created_at')}, d.account, d.withdraw_mode, 'accepted', 1, d.amount
    from payments d cross join zone
    ${paysIn.map(collectedIn).join(' ')}
    union all select ${dayOf('c.since')}, c.account, null, 'credited', 1, c.amount
    from (${acceptedLast('direct_credits')}) c cross join zone where c.state = 'succeeded')
  select day, account, withdraw_mode, ${measures.map(sumIn).join(', ')}
  from posted group by day, account, withdraw_mode`;

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

function collectedIn(kind: (typeof kinds)[number]): string {
  const { table = '' } = kindTables[kind] ?? {};
  const xof = kind === 'invoice' ? 'coalesce(p.amount_paid, p.total_amount)' : 'p.amount';
  return `union all select ${dayOf('p.since')}, p.account, null, 'collected', 1, ${xof}
    from (${acceptedLast(table)}) p cross join zone where p.state = 'completed'`;
}

function sumIn(measure: string): string {
  const only = `filter (where measure = '${measure}')`;
  return `coalesce(sum(times) ${only}, 0)::bigint as ${measure}_count, coalesce(sum(xof) ${only}, 0)::bigint as ${measure}_xof`;
}

const views = { daily, in_doubt: inDoubt } as const;

export const schema: readonly string[] = [
  'create table if not exists relais.facts (name text primary key, value text not null)',
  ...tables.flatMap(tableIn),
  ...indexes.map(([table, columns, using = 'btree']) => {
    const name = `${table}_by_${columns.replaceAll(', ', '_')}`;
    return `create index if not exists ${name} on relais.${table} using ${using} (${columns})`;
  }),
  ...Object.entries(views).map(viewIn),
  `grant usage on schema relais to ${READER}`,
  `grant select on all tables in schema relais to ${READER}`,
];

/** In place, since finance may have built on it; only where its columns have become others it is another view. */
function viewIn([name, query]: readonly [string, string]): string {
  const made = `create or replace view relais.${name} as ${query}`;
  return `do $do$ begin ${made};
    exception when invalid_table_definition then drop view relais.${name}; ${made}; end $do$`;
}

/** The part of a table in which a row of that time stands. */
export function partOf({ table, by }: Table, ms: number): { readonly name: string; readonly sql: string } {
  const at = new Date(ms);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), by === 'day' ? at.getUTCDate() : 1];
  const from = new Date(Date.UTC(year, month, day)).toISOString();
  const to = new Date(by === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, day)).toISOString();
  const name = `${table}_${from.slice(0, by === 'day' ? 10 : 7).replaceAll('-', '_')}`;
  const bounds = `for values from ('${from}') to ('${to}')`;
  return { name, sql: `create table if not exists relais.${name} partition of relais.${table} ${bounds}` };
}
