import { expect, test } from 'vitest';
import { campaignAmendment, campaignRequest } from '../../src/kinds/campaign-request.ts';
import { messageRequest } from '../../src/kinds/message.ts';
import { smsFaultOf, withPlainLines } from '../../src/lib/sms-text.ts';
import { check } from '../../src/producer/problems.ts';
import { reworded } from '../support/reworded.ts';

test.for([
  ['spaces', '   ', 'blank'],
  ['line breaks and tabs', '\r\n\t\n', 'blank'],
  ['spaces that do not break', '\u00a0\u202f\u3000', 'blank'],
  ['characters that cannot be seen', '\u200b\u200d\ufeff\u00ad\u2060', 'blank'],
  ['fillers', '\u3164\u115f\u2800', 'blank'],
  ['NUL', 'Bonjour\u0000 Awa', 'controls'],
  ['NUL alone', '\u0000', 'controls'],
  ['ESC', 'Bonjour \u001b[31mAwa', 'controls'],
  ['DEL and C1', 'Bonjour\u007f\u0085', 'controls'],
  ['a form feed', 'Bonjour\fAwa', 'controls'],
  ['the first half of a pair', 'Bonjour \ud83d', 'half'],
  ['the second half of a pair', '\ude00 Bonjour', 'half'],
  ['halves in the wrong order', '\ude00\ud83d', 'half'],
] as const)('an SMS text of %s is refused in every request with one', ([, text, fault]) => {
  expect(smsFaultOf(text)).toBe(fault);
  const message = {
    blank: 'must contain at least one visible character',
    controls: 'must not contain control characters other than line breaks and tabs',
    half: 'must not contain half of a character (an unpaired surrogate)',
  }[fault];
  const problems = [{ pointer: '/text', message }];
  expect(reworded(check(messageRequest, { to: '+221771234567', text }).problems)).toEqual(problems);
  expect(reworded(check(messageRequest, { to: '+221771234567', text, lane: 'otp' }).problems)).toEqual(problems);
  expect(reworded(check(campaignRequest, { name: 'November', text }).problems)).toEqual(problems);
  expect(reworded(check(campaignAmendment, { text }).problems)).toEqual(problems);
});

test.for([
  ['accents, an emoji and a joined one', 'Fête 😀 👩‍👧'],
  ['Arabic with its marks of direction', '\u200fمرحبا\u200f'],
  ['lines and tabs', 'Bonjour\n\tAwa'],
  ['one character', '1'],
] as const)('an SMS text of %s is accepted unchanged', ([, text]) => {
  expect(smsFaultOf(text)).toBeUndefined();
  expect(check(messageRequest, { to: '+221771234567', text }).data).toMatchObject({ text });
});

test('carriage returns are billed and print nothing: a line ends with a line feed', () => {
  expect(withPlainLines('a\r\nb\rc\n')).toBe('a\nb\nc\n');
  const text = 'Bonjour\r\nAwa';
  expect(check(messageRequest, { to: '+221771234567', text }).data).toMatchObject({ text: 'Bonjour\nAwa' });
  expect(check(campaignRequest, { name: 'November', text }).data).toMatchObject({ text: 'Bonjour\nAwa' });
});
