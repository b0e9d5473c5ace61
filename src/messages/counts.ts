/** Counts as words. */

/** `80000` → `80 000`, with non-breaking spaces. */
export function grouped(count: number, space = '\u00a0'): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, space);
}

export function some(count: number, one: string, several: string): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

/** In French, none and one are singular. */
export function someInFrench(count: number, one: string, several: string): string {
  return `${grouped(count)} ${count < 2 ? one : several}`;
}
