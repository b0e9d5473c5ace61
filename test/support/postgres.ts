/** Where tests look for it. */
export { NoPostgresServer, type OwnPostgres, startPostgres } from '../../src/ledger/embedded.ts';
