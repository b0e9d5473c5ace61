/** A payment that is retried is another payment, so it has its own name, derived from the first one. */

const REFERENCE_MOST = 128;

/** `salary-awa` → `salary-awa~2` → `salary-awa~3` */
export function referenceAgain(reference: string): string {
  const [, name = reference, nth = '1'] = /^(.*)~([1-9]\d{0,3})$/su.exec(reference) ?? [];
  const ending = `~${Number(nth) + 1}`;
  return `${name.slice(0, REFERENCE_MOST - ending.length).replace(/[\uD800-\uDBFF]$/, '')}${ending}`;
}
