/** Text of files and callers as PostgreSQL can store it: no character 0, and no half of a character. */

const HALVES = /\p{Cs}/gu;

export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(HALVES, '\ufffd');
}

/** JSON for a `jsonb` parameter. Keys come from our own code. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  );
}
