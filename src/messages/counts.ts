/** Counts as words. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, '\u00a0');
}

export function some(count: number, one: string, several: string): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

/** In French, none and one are singular. */
export function someInFrench(count: number, one: string, several: string): string {
  return `${grouped(count)} ${count < 2 ? one : several}`;
}
