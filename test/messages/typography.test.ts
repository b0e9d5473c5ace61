import { expect, test } from 'vitest';
import { translatedHelp } from '../../src/messages/help.ts';
import { translated } from '../../src/messages/told.ts';
import { typeset } from '../../src/messages/typography.ts';

test('a colon and guillemets get a no-break space, other double marks a narrow one', () => {
  expect(typeset('Le compte « main » : bloqué ; pourquoi ?')).toBe(
    'Le compte «\u00a0main\u00a0»\u00a0: bloqué\u202f; pourquoi\u202f?',
  );
});

test('the digits of a number are grouped with a narrow no-break space', () => {
  expect(typeset('au-dessus de 1 000 et de 25 000 000 F, 5 jours, 2026')).toBe(
    'au-dessus de 1\u202f000 et de 25\u202f000\u202f000 F, 5 jours, 2026',
  );
});

test('text without a space stays unchanged', () => {
  const technical = 'PATCH {"quietHours": false}, http://127.0.0.1:3000, a=b;c=d, {{nom|mot}}';
  expect(typeset(technical)).toBe(technical);
});

test('no French sentence of the help, a state or a reason has a breakable space before a mark', () => {
  const all = Object.values({ ...translatedHelp, ...translated });
  expect(all.length).toBeGreaterThan(400);
  expect(all.filter((french) => / [:;?!»](?!\w)|« |\d \d{3}\b/.test(french))).toEqual([]);
});
