import { comparable } from './letters.ts';

/** Whether two sender IDs are one: the provider writes them in letters of its own. */
export function isSameSender(one: string, other: string): boolean {
  return one === other || comparable(one) === comparable(other);
}
