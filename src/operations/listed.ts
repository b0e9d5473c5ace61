/**
 * How operations stand in lists. Each has one place: in the sorted set of its account and state, by the time at which
 * it was asked for. So a list of any accounts and states is a few sets walked side by side, and costs the same at any
 * depth; and nothing is kept twice. The member holds the amount, so that a filter by amount reads no record in vain.
 */
import type { Kind } from '../kinds/index.ts';
import { keys } from './keys.ts';
import type { Fields } from './record.ts';

/** So few that a list of them reads each: they stand in one set. */
const FEW: ReadonlySet<Kind> = new Set(['campaign', 'batch']);

export function areFew(kind: Kind): boolean {
  return FEW.has(kind);
}

/** Where one that has just come to a state is found. */
export function listedAt(kind: Kind, account: string, state: string): string {
  return areFew(kind) ? keys.index(kind) : keys.listed(kind, account, state);
}

/** What it moves, or is to move: said when it was asked for, and never changed. */
export function amountOf(fields: Readonly<Record<string, string | number>> | Fields): number | undefined {
  const amount = fields['amount'] ?? fields['totalAmount'] ?? fields['askedAmount'];
  return amount === undefined ? undefined : Number(amount);
}

export function memberOf(id: string, fields: Readonly<Record<string, string | number>>): string {
  const amount = amountOf(fields);
  return amount === undefined ? id : `${id}.${amount}`;
}

/** Of a time in base 36 (ms), until 2059. */
export const MOMENT_DIGITS = 8;

interface New {
  readonly kind: Kind;
  readonly id: string;
  readonly account: string;
  readonly state: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** Where one that is accepted is found, as the script takes it. */
export function listedNew({ kind, id, account, state, fields }: New) {
  return {
    listed: listedAt(kind, account, state),
    listedAwaiting: listedAt(kind, account, 'awaiting_approval'),
    accounts: keys.accounts,
    member: areFew(kind) ? id : memberOf(id, fields),
  };
}

export interface Place {
  readonly score: number;
  readonly member: string;
}

export function idOf({ member }: Place): string {
  const [id = member] = member.split('.', 1);
  return id;
}

export function amountAt({ member }: Place): number | undefined {
  const dot = member.indexOf('.');
  return dot < 0 ? undefined : Number(member.slice(dot + 1));
}

/** Where a page ended: an id alone would be of no use once its record has left the state that was asked for. */
export const pageCursor = /^(\d{1,16})\.([\w.-]{1,80})$/;

export function placeOf(cursor: string | undefined): Place | undefined {
  const [, score, member] = pageCursor.exec(cursor ?? '') ?? [];
  return score === undefined || member === undefined ? undefined : { score: Number(score), member };
}

export const cursorOf = ({ score, member }: Place): string => `${score}.${member}`;

/** Those of one moment are told apart by their names, as Redis does. */
export const isBelow = (one: Place, other: Place): boolean =>
  one.score < other.score || (one.score === other.score && one.member < other.member);
