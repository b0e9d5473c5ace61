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
