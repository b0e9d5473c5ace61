/** Long runs: RELAIS_DEEP=1 makes the tests that name it many times larger. */
export const DEEP = process.env['RELAIS_DEEP'] === '1';
