/** Long runs: RELAIS_DEEP=1 makes the tests that use it many times larger. */
export const DEEP = process.env['RELAIS_DEEP'] === '1';
