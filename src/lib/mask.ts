const IP_ADDRESS = /^\d{1,3}(\.\d{1,3}){3}$/;

/** Hides all but the last four digits of anything that looks like a telephone number: `+22177•••4567`. */
export function maskPhone(text: string): string {
  return text.replace(/\+?\d[\d\s().-]{6,}\d/g, (number) => {
    if (IP_ADDRESS.test(number)) return number;
    const digits = number.replace(/\D/g, '');
    const keep = number.startsWith('+') ? `+${digits.slice(0, 5)}` : digits.slice(0, 2);
    return `${keep}•••${digits.slice(-4)}`;
  });
}
