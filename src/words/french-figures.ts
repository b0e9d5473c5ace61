/** Comment s’écrivent les nombres, les sommes et les heures : 1 234 F CFA, le 23/11/2026. */
import type { Words } from './english.ts';

export const frenchFigures: Words['figures'] = {
  space: '\u202f',
  money: (figure) => `${figure}\u00a0F\u00a0CFA`,
  time: ({ year, month, day, clock }) => `${day}/${month}/${year} ${clock} UTC`,
};
