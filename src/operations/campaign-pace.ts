/** What a campaign says about when and how fast it is sent, as its record keeps it. */
/** How far ahead of its pace a campaign may be: chunks come in whole fifties, and the sweeper once in a while. */
export const PACE_AHEAD_MS = 1_000;

/** A chunk that waits for its turn looks again this soon, since the pace may be changed meanwhile. */
export const PACE_LOOK_MS = 5_000;
