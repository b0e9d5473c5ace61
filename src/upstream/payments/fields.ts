/** A whole number of francs above 0. The interface names no other bounds, and none is invented here. */
export function isPositiveXof(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0;
}

export function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** `{ [key]: value }`, or nothing at all: upstream is never sent a null, and a reader never meets an undefined. */
export function present<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
