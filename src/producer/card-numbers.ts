/**
 * Finds what looks like a card number where none may be kept. What is accepted is written to Redis, to its log, to
 * replicas and backups, and a card number must be in none of them: the hosted payment page asks for it instead.
 */
import type { RequestOf } from '../kinds/index.ts';
import { type Problem, pointerTo } from './problems.ts';

/** 15 to 19 digits that begin like the cards of a network, however they are grouped. Dates begin with 20 and do not. */
const CARD = /(?<![\d+])(?=4|5[1-5]|2[2-7]|3[47]|6[0245])\d(?:[ -]?\d){14,18}(?!\d)/g;
const SHORTEST = 15;
const SECRET_NAME = /^(card_?)?(cvv|cvc|cvv2)$|^pan$|^card_?number$/i;

/** JSON pointers to the places; the values are never repeated. */
export function cardLikePlaces(value: unknown): string[] {
  const places: string[] = [];
  look(value, [], places);
  return places;
}

/** Mostly there is none, so nothing is made on the way: `path` is the same list all along. */
function look(value: unknown, path: (string | number)[], places: string[]): void {
  if (typeof value === 'string' || typeof value === 'number') {
    if (hasCardNumber(String(value))) places.push(pointerTo(path));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
    path.push(name);
    if (!Array.isArray(value) && SECRET_NAME.test(name)) places.push(pointerTo(path));
    else look(one, path, places);
    path.pop();
  }
}

export function cardProblems(value: unknown): Problem[] {
  return cardLikePlaces(value).map((pointer) => ({
    pointer,
    message: 'looks like a card number or code, which is never kept: the payment page asks for it',
  }));
}

/** A card is no beneficiary. Accounts of the service are long numbers of their own, and one in ten may look like one. */
export function cardsInDisbursement(request: RequestOf<'disbursement'>): Problem[] {
  const { accountAlias, debitAccountNumber: _, ...rest } = request;
  return cardProblems(request.withdrawMode === 'service' ? rest : { ...rest, accountAlias });
}

function hasCardNumber(text: string): boolean {
  if (text.length < SHORTEST) return false;
  return [...text.matchAll(CARD)].some(([found]) => passesLuhn(found.replace(/\D/g, '')));
}

/** The check digit of every card number: one in ten other numbers of that length passes it too. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.at(-1 - place));
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += place % 2 === 1 ? doubled : digit;
  }
  return sum % 10 === 0;
}
