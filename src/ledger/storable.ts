/** Text that PostgreSQL can store: without NUL and unpaired surrogates. */

const HALVES = /\p{Cs}/gu;

export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(HALVES, '\ufffd');
}

/** JSON for a `jsonb` parameter. Its keys come from our own code. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  );
}

/** NUL and halves of surrogate pairs are no text for PostgreSQL. */
const NOT_STORABLE = /\\u0000|\\ud[89a-f]/i;

/** Whether PostgreSQL stores this JSON. */
export function isStorable(json: string): boolean {
  // A backslash of a value itself is written as two.
  return !NOT_STORABLE.test(json.replaceAll('\\\\', ''));
}
