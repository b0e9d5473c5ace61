/** Where tests look for it. */
export { NoPostgresServer, type OwnPostgres, startPostgres } from '../../src/history/embedded.ts';
