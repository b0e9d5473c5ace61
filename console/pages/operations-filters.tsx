/** The filters of a list, as fields. */
import { type FormEvent, useId } from 'react';
import { useSearchParams } from 'wouter';
import { operations } from '../../src/client/generated/api.ts';
import type { Asked } from '../asking/ask.ts';
import { type Listed, lists } from '../asking/kinds.ts';
import { useWords } from '../parts/language.tsx';
import { stateWord, statesOf } from '../words/states.ts';
import type { Words } from '../words/words.ts';

type Filter = keyof Words['pages']['operations']['filters'];

/** One entry: its parameter is named by its key. */
const METADATA = 'metadata';
const PREFIX = `${METADATA}.`;

const ORDER: readonly Filter[] = [
  'state',
  'phone',
  'reference',
  'account',
  'createdFrom',
  'createdTo',
  'amountMin',
  'amountMax',
  'transactionId',
  'token',
  'batch',
  METADATA,
];

/** The filters of this kind in openapi.json. */
function filtersOf(kind: Listed): readonly Filter[] {
  const query: readonly string[] = operations[lists[kind]].query;
  return ORDER.filter((name) => query.includes(name === METADATA ? `${PREFIX}KEY` : name));
}

/** The filters in the address of the page. */
export function askedBy(kind: Listed, search: URLSearchParams): Asked<'listDisbursements'> {
  const names = filtersOf(kind);
  const given = [...search].filter(([, value]) => value !== '');
  const plain = given.filter(([name]) => name !== METADATA && names.some((one) => one === name));
  const entries = names.includes(METADATA) ? given.filter(([name]) => name.startsWith(PREFIX)) : [];
  const metadata = Object.fromEntries(entries.map(([name, value]) => [name.slice(PREFIX.length), value]));
  return { ...Object.fromEntries(plain), ...(entries.length > 0 ? { metadata } : {}) };
}

const TYPES: Readonly<Partial<Record<Filter, string>>> = {
  phone: 'tel',
  createdFrom: 'datetime-local',
  createdTo: 'datetime-local',
  amountMin: 'number',
  amountMax: 'number',
};

export function Filters({ kind }: { readonly kind: Listed }) {
  const { pages } = useWords();
  const says = pages.operations;
  const [search, setSearch] = useSearchParams();
  const names = filtersOf(kind);
  const isFiltered = Object.keys(askedBy(kind, search)).length > 0;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setSearch(new URLSearchParams(names.flatMap((name) => entryOf(name, form.get(name)))));
  };
  return (
    <details className="sheet mb-4" open={isFiltered}>
      <summary className="px-4 py-3 font-medium">{says.filter}</summary>
      <form
        key={search.toString()}
        onSubmit={submit}
        onReset={() => setSearch(new URLSearchParams())}
        className="grid gap-4 border-t border-line p-4 sm:grid-cols-2 lg:grid-cols-3"
      >
        {names.map((name) => (
          <Field key={name} kind={kind} name={name} value={valueIn(search, name)} />
        ))}
        <div className="flex flex-wrap items-end gap-3 sm:col-span-full">
          <button type="submit" className="button button-main">
            {says.apply}
          </button>
          <button type="reset" className="button">
            {says.dropFilters}
          </button>
        </div>
      </form>
    </details>
  );
}

/** `orderId=1042` */
function valueIn(search: URLSearchParams, name: Filter): string {
  if (name !== METADATA) return search.get(name) ?? '';
  const [key, value = ''] = [...search].find(([one]) => one.startsWith(PREFIX)) ?? [];
  return key === undefined ? '' : `${key.slice(PREFIX.length)}=${value}`;
}

function entryOf(name: Filter, value: FormDataEntryValue | null): [string, string][] {
  if (typeof value !== 'string' || value.trim() === '') return [];
  if (name === METADATA) {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/.exec(value) ?? [];
    return [[`${PREFIX}${key.trim()}`, text.trim()]];
  }
  const isTime = name === 'createdFrom' || name === 'createdTo';
  return [[name, isTime ? new Date(value).toISOString() : value.trim()]];
}

/** An ISO time in the field's format: local time without a zone. */
function onTheClock(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface FieldProps {
  readonly kind: Listed;
  readonly name: Filter;
  readonly value: string;
}

function Field({ kind, name, value }: FieldProps) {
  const { pages, states, parts } = useWords();
  const field = useId();
  const isTime = TYPES[name] === 'datetime-local';
  return (
    <div>
      <label htmlFor={field} className="mb-1 block text-sm font-medium">
        {pages.operations.filters[name]}
      </label>
      {name === 'state' ? (
        <select id={field} name={name} className="field" defaultValue={value}>
          <option value="">{parts.every}</option>
          {statesOf(kind).map((state) => (
            <option key={state} value={state}>
              {stateWord(states, kind, state)}
            </option>
          ))}
          {value.includes(',') && <option value={value}>{wordsOfStates(states, kind, value)}</option>}
        </select>
      ) : (
        <input
          id={field}
          name={name}
          type={TYPES[name] ?? 'text'}
          {...(TYPES[name] === 'number' ? { min: 0, step: 1 } : {})}
          {...(name === METADATA ? { pattern: '[A-Za-z0-9_.\\-]{1,40} *=.+', placeholder: 'orderId=1042' } : {})}
          className="field"
          defaultValue={isTime ? onTheClock(value) : value}
        />
      )}
    </div>
  );
}

function wordsOfStates(states: Words['states'], kind: Listed, value: string): string {
  return value
    .split(',')
    .map((state) => stateWord(states, kind, state))
    .join(', ');
}
