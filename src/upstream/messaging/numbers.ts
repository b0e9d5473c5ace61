/** The digits of a number in international form: what a number is compared by. */
export function digitsOf(number: string): string {
  return number.replace(/\D/g, '').replace(/^00/, '');
}

/** interface: SMS records, "international format". Which form that is, is not told. */
export function writeNumber(number: string, format: 'plus' | 'digits' | '00'): string {
  const prefix = { plus: '+', digits: '', '00': '00' } as const;
  return `${prefix[format]}${digitsOf(number)}`;
}
