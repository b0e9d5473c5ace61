/** Why a key was refused, in the fields for keys. */
import { Refused } from '../asking/ask.ts';
import type { Words } from '../words/words.ts';

export function wrongKeyIn({ signIn, trouble }: Words, error: unknown): string | undefined {
  if (!(error instanceof Refused)) return trouble['no-answer'];
  if (error.status === 429) return signIn.tooMany;
  return error.status < 500 ? signIn.wrong : (trouble[error.word] ?? trouble['no-answer']);
}
