/** Set for the long runs. */
export const DEEP = process.env['RELAIS_DEEP'] === '1';
