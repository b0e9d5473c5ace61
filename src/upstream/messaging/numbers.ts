const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/** The digits of a number in international form: what a number is compared by. */
export function digitsOf(number: string): string {
  const bare = number.startsWith('+') ? number.slice(1) : number;
  // Nearly every number is written so already, and each passes here several times.
  const digits = isBare(bare) ? bare : number.replace(/\D/g, '');
  return digits.startsWith('00') ? digits.slice(2) : digits;
}

function isBare(number: string): boolean {
  for (let at = 0; at < number.length; at += 1) {
    const unit = number.charCodeAt(at);
    if (unit < ZERO || unit > NINE) return false;
  }
  return true;
}

const PREFIX = { plus: '+', digits: '', '00': '00' } as const;

/** interface: SMS records, "international format". Which form that is, is not told. */
export function writeNumber(number: string, format: 'plus' | 'digits' | '00'): string {
  return PREFIX[format] + digitsOf(number);
}
