/** The end of a list page: a time and a name, so that it is found again after its record has changed. */

export interface Place {
  /** ms since the epoch. */
  readonly score: number;
  readonly member: string;
}

/**
 * An id alone would be useless after its record has left the list. Times up to the year 5138, which every store
 * supports.
 */
export const pageCursor = /^(\d{1,14})\.([\w.-]{1,80})$/;

export function placeOf(cursor: string | undefined): Place | undefined {
  const [, score, member] = pageCursor.exec(cursor ?? '') ?? [];
  return score === undefined || member === undefined ? undefined : { score: Number(score), member };
}

export const cursorOf = ({ score, member }: Place): string => `${score}.${member}`;
