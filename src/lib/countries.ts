/** The six countries of the provider, by their ISO 3166 code. */
export const countries = {
  SN: { name: 'Senegal', dialling: '221', nationalLengths: [9] },
  CI: { name: "Côte d'Ivoire", dialling: '225', nationalLengths: [10] },
  // Eight digits became ten, beginning with 01, in 2024; both occur.
  BJ: { name: 'Benin', dialling: '229', nationalLengths: [10, 8] },
  TG: { name: 'Togo', dialling: '228', nationalLengths: [8] },
  ML: { name: 'Mali', dialling: '223', nationalLengths: [8] },
  BF: { name: 'Burkina Faso', dialling: '226', nationalLengths: [8] },
} as const satisfies Record<string, CountryFacts>;

interface CountryFacts {
  readonly name: string;
  readonly dialling: string;
  /** Digits after the country code. Numbering plans change, and the provider documents none. */
  readonly nationalLengths: readonly number[];
}

export type Country = keyof typeof countries;

export const countryCodes = Object.keys(countries) as Country[];

/** Whether a number of the country has this many digits after its country code. */
export function isLengthOf(country: Country, length: number): boolean {
  const lengths: readonly number[] = countries[country].nationalLengths;
  return lengths.includes(length);
}

/** `a number of Senegal has 9`. */
export function usualLength(country: Country): { readonly country: string; readonly usual: string } {
  const { name, nationalLengths } = countries[country];
  return { country: name, usual: nationalLengths.join(' or ') };
}
