import { expect, test } from 'vitest';
import type { Random } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { auditSigner, SeenMarks } from '../../src/operations/audit-marks.ts';
import { onlyOf } from '../support/only.ts';

const WORDS = ['checker', '', 'approve', 'api', 'r-1', 'disbursement.approve', 'dsb_1', ''];

/** Of so many processes as there are in the life of an audit, two begin with the same four bytes. */
const drawing = (rest: string): Random => onlyOf<Random>({ hex: (bytes) => `abcdef01${rest}`.slice(0, bytes * 2) });

test('two processes that begin alike mark no line as put there twice', () => {
  const secrets = [new Secret('of-the-processes')];
  const signers = ['23456789', '98765432'].map((rest) => auditSigner(secrets, drawing(rest)));
  const marks = signers.map((sign) => sign?.(WORDS) ?? '');
  const seen = new SeenMarks();
  expect(marks.map((mark) => seen.again(mark))).toEqual([false, false]);
  expect(seen.again(marks[0] ?? '')).toBe(true);
});
