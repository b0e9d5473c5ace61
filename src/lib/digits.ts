const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/**
 * The digits of a number in international form, from its country code on: what a number is compared by. `+221…`,
 * `00221…` and `221…` are one number; a number in the form of its country is read as if it began with a country code.
 */
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
