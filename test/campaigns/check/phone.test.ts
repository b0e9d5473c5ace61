import { describe, expect, it } from 'vitest';
import { judge, phoneReader } from '../../../src/campaigns/check/phone.ts';
import { fastRuleFor, fastRuleOf } from '../../../src/campaigns/check/phone.ts';
import { countryCodes } from '../../../src/lib/countries.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { detail } from '../../../src/messages/details.ts';
import { MessageError } from '../../../src/messages/texts.ts';

const inSenegal = phoneReader({ country: 'SN' });
const nowhere = phoneReader();

describe('a mobile number is read from any writing', () => {
  it.each([
    ['+221770000001', '+221770000001', 'SN'],
    ['00221770000001', '+221770000001', 'SN'],
    ['221770000001', '+221770000001', 'SN'],
    ['77 000 00 01', '+221770000001', 'SN'],
    ['77.000.00.01', '+221770000001', 'SN'],
    ['77-000-00-01', '+221770000001', 'SN'],
    ['77/000/00/01', '+221770000001', 'SN'],
    ['770,000,001', '+221770000001', 'SN'],
    ['221,770,000,001', '+221770000001', 'SN'],
    // A program that treated the number as a measurement had all its digits.
    ['770000001.0', '+221770000001', 'SN'],
    ['770000001,00', '+221770000001', 'SN'],
    ['770 000 001,00', '+221770000001', 'SN'],
    ['770 000 001.00', '+221770000001', 'SN'],
    ['770,000,001.00', '+221770000001', 'SN'],
    ['221770000001.0', '+221770000001', 'SN'],
    ["'+221 77 000 00 01", '+221770000001', 'SN'],
    ['(+221) 77\u00a0000\u202f00\u00a001', '+221770000001', 'SN'],
    ['\u202a+221770000001\u202c', '+221770000001', 'SN'],
    ['+225 07 00 00 00 01', '+2250700000001', 'CI'],
    ['+229 01 97 00 00 01', '+2290197000001', 'BJ'],
    ['+228 90 00 00 01', '+22890000001', 'TG'],
    ['+223 76 00 00 01', '+22376000001', 'ML'],
    ['+226 70 00 00 01', '+22670000001', 'BF'],
    ['22670000001', '+22670000001', 'BF'],
    ['+33 6 12 34 56 78', '+33612345678', 'FR'],
    ['+1 201 555 0123', '+12015550123', 'US'],
  ])('%s is %s', (written, e164, country) => {
    expect(inSenegal(written)).toEqual({ is: 'mobile', e164, country });
  });

  it('with the trunk zero of a default country outside the six', () => {
    expect(phoneReader({ country: 'FR' })('06 12 34 56 78')).toMatchObject({ e164: '+33612345678', country: 'FR' });
  });
});

describe('a number that is not mobile has a reason', () => {
  it.each([
    ['', 'empty'],
    ['  \u00a0', 'empty'],
    ['à demander', 'not_a_number'],
    ['+', 'not_a_number'],
    ['++221770000001', 'not_a_number'],
    ['77+0000001', 'not_a_number'],
    ['+221 77 000 00 01 ext 3', 'not_a_number'],
    ['7'.repeat(41), 'not_a_number'],
    ['77 000 01', 'too_short'],
    ['+221 77 000', 'too_short'],
    ['+221 77 000 00 00 99', 'too_long'],
    ['77 000 00 01 2', 'too_long'],
    ['+999 70 00 00 00', 'unknown_country'],
    ['+221 79 900 00 01', 'not_in_use'],
    ['33 800 00 01', 'not_mobile'],
    ['+221 33 800 00 01', 'not_mobile'],
    ['+225 27 20 21 00 00', 'not_mobile'],
    ['77 000 00 91 / 76 000 00 92', 'several_numbers'],
    ['770000091/760000092', 'several_numbers'],
    ['770000091 ou 760000092', 'several_numbers'],
    ['770000091;760000092', 'several_numbers'],
    ['2,21771E+11', 'spreadsheet_damage'],
    ['2.21771E+11', 'spreadsheet_damage'],
    ['2E+11', 'spreadsheet_damage'],
    ['770,00,000', 'not_a_number'],
    ['#N/A', 'spreadsheet_damage'],
    ['#########', 'spreadsheet_damage'],
  ])('“%s” is %s', (written, reason) => {
    expect(inSenegal(written)).toMatchObject({ is: 'refused', reason });
  });

  it('a local number without a default country has no country', () => {
    expect(nowhere('77 000 00 01')).toEqual({ is: 'refused', reason: 'no_country' });
    expect(nowhere('221770000001')).toMatchObject({ is: 'mobile' });
  });

  it.each([
    ['CI', '700000001', '0700000001'],
    ['BJ', '197000001', '0197000001'],
    ['BF', '1000001', '01000001'],
  ])('a lost first zero in %s is the work of a spreadsheet', (country, written, whole) => {
    expect(phoneReader({ country })(written)).toEqual({
      is: 'refused',
      reason: 'spreadsheet_damage',
      detail: detail('zero_gone', { number: whole }),
    });
  });

  it.each([
    ['BF', '01/02/2026'],
    ['BF', '07-12-1998'],
    ['BF', '05.06.2026'],
    ['CI', '7/10/2026'],
    ['CI', '01/02/2026'],
    ['MR', '2026-02-01'],
  ] as const)('a date in %s, %s, is no phone number', (country, written) => {
    expect(phoneReader({ country, repair: ['CI', 'BJ'] })(written)).toEqual({
      is: 'refused',
      reason: 'spreadsheet_damage',
    });
  });

  it('pairs of digits between slashes are no date', () => {
    expect(phoneReader({ country: 'BF' })('01/02/20/26')).toMatchObject({ e164: '+22601022026' });
    expect(phoneReader({ country: 'BF' })('70/02/2026')).toMatchObject({ e164: '+22670022026' });
  });

  it('no zero is missed where a country code is written', () => {
    expect(phoneReader({ country: 'BJ' })('+197000001')).not.toMatchObject({ reason: 'spreadsheet_damage' });
  });

  it('an unknown country is refused at once', () => {
    expect(() => phoneReader({ country: 'ZZ' })).toThrow(MessageError);
  });
});

describe('old numbers', () => {
  it.each([
    ['+225 07 00 00 01', '+2250707000001'],
    ['+225 05 00 00 01', '+2250505000001'],
    ['+225 01 00 00 01', '+2250101000001'],
    ['+225 48 00 00 01', '+2250748000001'],
    ['00225 66 00 00 01', '+2250566000001'],
    ['225 73 00 00 01', '+2250173000001'],
    ['+229 97 00 00 01', '+2290197000001'],
  ])('%s becomes %s only when asked', (written, renewed) => {
    expect(nowhere(written)).toMatchObject({
      reason: 'old_numbering',
      detail: detail('probably_today', { number: renewed }),
    });
    expect(phoneReader({ repair: ['CI', 'BJ'] })(written)).toMatchObject({ e164: renewed, repaired: true });
  });

  it('a local old number is renewed for its own country alone', () => {
    expect(phoneReader({ country: 'CI', repair: ['CI'] })('07 00 00 01')).toMatchObject({ e164: '+2250707000001' });
    expect(phoneReader({ country: 'BJ', repair: ['CI'] })('97 00 00 01')).toMatchObject({ reason: 'old_numbering' });
  });

  it.each(['+225 20 21 00 00', '+225 00 00 00 01', '+225 61 00 00 01', '+225 92 00 00 01', '+225 99 00 00 01'])(
    '%s, of no sure mobile range, stays refused',
    (written) => {
      expect(phoneReader({ repair: ['CI'] })(written)).toMatchObject({ is: 'refused', reason: 'too_short' });
    },
  );
});

describe('the fast path', () => {
  const random = seededRandom(48_213);
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random.fraction() * 10)).join('');

  it('never accepts more than libphonenumber: every beginning of three digits', () => {
    for (const country of countryCodes) {
      const rule = fastRuleOf(country)!;
      for (let head = 0; head < 1_000; head += 1) {
        const national = String(head).padStart(3, '0') + digits(rule.length - 3);
        if (!rule.accepts(national)) continue;
        expect(judge(`+${rule.code}${national}`)).toEqual({
          is: 'mobile',
          e164: `+${rule.code}${national}`,
          country,
        });
      }
    }
  });

  it('agrees with libphonenumber on 100,000 random numbers', () => {
    let fast = 0;
    for (let index = 0; index < 100_000; index += 1) {
      const { code, length } = fastRuleOf(countryCodes[index % countryCodes.length]!)!;
      const number = code + digits(length + (index % 50 === 0 ? 1 : 0));
      const quick = fastRuleFor(number)?.accepts(number.slice(3)) ?? false;
      const judged = judge(`+${number}`);
      if (quick) fast += 1;
      // If the fast path refuses, libphonenumber decides; so only its acceptance must be correct.
      if (quick && (judged.is !== 'mobile' || judged.e164 !== `+${number}`)) expect.fail(`+${number}`);
    }
    expect(fast).toBeGreaterThan(10_000);
  });

  it('reads local numbers as libphonenumber does', () => {
    for (const country of countryCodes) {
      const { length } = fastRuleOf(country)!;
      const read = phoneReader({ country });
      for (let index = 0; index < 1_000; index += 1) {
        const number = digits(length);
        const judged = judge(number, country);
        if (judged.is === 'mobile') expect(read(number)).toEqual(judged);
        else expect(read(number).is).toBe('refused');
      }
    }
  });

  it('covers nearly all mobile numbers of its countries', () => {
    for (const country of countryCodes) {
      const rule = fastRuleOf(country)!;
      const { code, length } = rule;
      const heads = Array.from(
        { length: 1_000 },
        (_, head) => String(head).padStart(3, '0') + '5'.repeat(length - 3),
      );
      const mobile = heads.filter((national) => judge(`+${code}${national}`).is === 'mobile');
      expect(mobile.filter((national) => rule.accepts(national)).length / mobile.length).toBeGreaterThanOrEqual(0.8);
    }
  });
});
