/** Set for the long runs. */
export const DEEP = process.env['RELAIS_DEEP'] === '1';

/** One world again: the seed that a failure printed. */
export const REPLAY = Number(process.env['RELAIS_SEED'] ?? 0);
