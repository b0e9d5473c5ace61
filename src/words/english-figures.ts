/** How numbers and times are written. */
interface Time {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly clock: string;
  /** As it came. */
  readonly written: string;
}

export const englishFigures = {
  space: '\u00a0',
  money: (figure: string) => `${figure}\u00a0XOF`,
  time: ({ written }: Time) => written,
} as const;
