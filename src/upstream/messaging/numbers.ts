import { digitsOf } from '../../lib/digits.ts';

const PREFIX = { plus: '+', digits: '', '00': '00' } as const;

/** interface: SMS records, "international format". Which form that is, is not told. */
export function writeNumber(number: string, format: 'plus' | 'digits' | '00'): string {
  return PREFIX[format] + digitsOf(number);
}
