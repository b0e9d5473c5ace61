/** A count with its noun: `1 payment`, `1 paiement`, `2 paiements`. */

export const counted = (many: string, one: string, several: string): string =>
  `${many} ${many === '1' ? one : several}`;

/** In French, none and one are singular. */
export const countedInFrench = (many: string, one: string, several: string): string =>
  `${many} ${many === '0' || many === '1' ? one : several}`;
