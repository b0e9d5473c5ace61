/**
 * Finds what looks like a card number where none may be kept. What is accepted is written to Redis, to its log, to
 * replicas and backups, and a card number must be in none of them: the hosted payment page asks for it instead.
 */
import type { DisbursementRequest } from '../queues/requests.ts';
import { type Problem, pointerTo } from './problems.ts';

/** 15 to 19 digits that begin like the cards of a network, however they are grouped. Dates begin with 20 and do not. */
const CARD = /(?<![\d+])(?=4|5[1-5]|2[2-7]|3[47]|6[0245])\d(?:[ -]?\d){14,18}(?!\d)/g;
const SECRET_NAME = /^(card_?)?(cvv|cvc|cvv2)$|^pan$|^card_?number$/i;

/** JSON pointers to the places; the values are never repeated. */
export function cardLikePlaces(value: unknown, path: readonly (string | number)[] = []): string[] {
  if (typeof value === 'string' || typeof value === 'number') {
    return hasCardNumber(String(value)) ? [pointerTo(path)] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one, index) => cardLikePlaces(one, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    SECRET_NAME.test(name) ? [pointerTo([...path, name])] : cardLikePlaces(one, [...path, name]),
  );
}

export function cardProblems(value: unknown): Problem[] {
  return cardLikePlaces(value).map((pointer) => ({
    pointer,
    message: 'looks like a card number or code, which is never kept: the payment page asks for it',
  }));
}

/** A card is no beneficiary. Accounts of the service are long numbers of their own, and one in ten may look like one. */
export function cardsInDisbursement(request: DisbursementRequest): Problem[] {
  const { accountAlias, debitAccountNumber: _, ...rest } = request;
  return cardProblems(request.withdrawMode === 'service' ? rest : { ...rest, accountAlias });
}

function hasCardNumber(text: string): boolean {
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
