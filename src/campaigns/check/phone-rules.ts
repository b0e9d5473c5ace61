/**
 * The mobile ranges of the countries that nearly every row is from, so that a row costs a table look-up and not a run
 * of
 * libphonenumber. The ranges are deliberately no wider than libphonenumber's (a test compares them): what is not listed
 * here is not wrong, it is asked about.
 */
const FAST_COUNTRIES = {
  SN: { code: '221', length: 9, mobile: ['70', '71', '75', '76', '77', '78'] },
  CI: { code: '225', length: 10, mobile: ['01', '05', '07'] },
  BJ: { code: '229', length: 10, mobile: ['014', '015', '016', '019'] },
  TG: {
    code: '228',
    length: 8,
    mobile: ['70', '71', '72', '73', '78', '79', '90', '91', '92', '93', '96', '97', '98', '99'],
  },
  ML: { code: '223', length: 8, mobile: ['50', '51', '52', '53', '6', '7', '82', '83', '84', '85', '89', '9'] },
  BF: {
    code: '226',
    length: 8,
    mobile: [
      '01',
      '02',
      '03',
      '04',
      '05',
      '06',
      '07',
      '50',
      '51',
      '52',
      '53',
      '54',
      '55',
      '56',
      '57',
      '58',
      '6',
      '7',
    ],
  },
} as const satisfies Record<string, { code: string; length: number; mobile: readonly string[] }>;

export type FastCountry = keyof typeof FAST_COUNTRIES;

export interface FastRule {
  readonly country: FastCountry;
  /** Calling code, three digits. */
  readonly code: string;
  /** Digits after the calling code. */
  readonly length: number;
  /** Whether the number after the calling code is certainly a mobile one. */
  accepts(national: string): boolean;
}

export const fastCountries = Object.keys(FAST_COUNTRIES) as readonly FastCountry[];

const byCountry = new Map<string, FastRule>(fastCountries.map((country) => [country, ruleOf(country)]));
const byCode = new Map<string, FastRule>([...byCountry.values()].map((rule) => [rule.code, rule]));

export function fastRuleOf(country: string): FastRule | undefined {
  return byCountry.get(country);
}

/** The rule for a number with its calling code, written as digits alone, if its length fits that country. */
export function fastRuleFor(digits: string): FastRule | undefined {
  const rule = byCode.get(digits.slice(0, 3));
  return rule && digits.length === rule.length + 3 ? rule : undefined;
}

function ruleOf(country: FastCountry): FastRule {
  const { code, length, mobile } = FAST_COUNTRIES[country];
  const heads = new Uint8Array(1_000);
  for (let head = 0; head < 1_000; head += 1) {
    const text = String(head).padStart(3, '0');
    if (mobile.some((prefix) => text.startsWith(prefix))) heads[head] = 1;
  }
  return {
    country,
    code,
    length,
    accepts: (national) => national.length === length && heads[Number(national.slice(0, 3))] === 1,
  };
}
