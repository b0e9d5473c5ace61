import { comparable } from './letters.ts';

/** Whether two sender IDs are equal: the provider changes the case. */
export function isSameSender(one: string, other: string): boolean {
  return one === other || comparable(one) === comparable(other);
}
