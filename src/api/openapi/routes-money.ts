import { z } from 'zod';
import { directCreditRequest } from '../../kinds/direct-credit.ts';
import { BYTES_MAX } from '../../producer/batch/read-file.ts';
import { approval } from '../batches.ts';
import { balances, batch, batchReport, directCredit } from './answers-money.ts';
import { APPROVAL_MAX, accountQuery, answer, json, listFiles } from './pieces.ts';
import { defineRoutes } from '../route.ts';
import { resolve, show } from './routes-askable.ts';

const ROWS_CSV = 'reference;accountAlias;amount;withdrawMode\nsalary-2026-11-awa;771234567;25000;wallet-a-senegal\n';
const ROWS_NDJSON =
  '{"reference":"salary-2026-11-awa","accountAlias":"771234567","amount":25000,"withdrawMode":"wallet-a-senegal"}\n';
const REPORT_CSV =
  'row;reference;id;state;reason;amount;accountAlias;withdrawMode;disburseId;token;transactionId;providerRef\r\n';

export const batchRoutes = defineRoutes([
  {
    method: 'post',
    path: '/v1/disbursement-batches',
    id: 'createBatch',
    tag: 'Batches',
    summary: 'Upload a file of disbursements.',
    description:
      'Everything is judged before anything is paid: one bad row, and the batch is `invalid`. Columns are the fields ' +
      'of a disbursement; each row needs a `reference`. Another key approves exactly these bytes. Of a workbook the first ' +
      'sheet is read; a text that is not Unicode needs its `charset`.',
    role: 'enqueue',
    scope: 'none',
    identity: 'optional',
    durable: true,
    query: { account: z.string().optional().meta({ description: 'Where no row names one: `main`.' }) },
    body: {
      limit: `${BYTES_MAX / 1e6} MB`,
      files: {
        ...listFiles(ROWS_CSV, ROWS_NDJSON),
        'application/json': { says: 'An array of disbursements.', example: `[${ROWS_NDJSON.trim()}]` },
      },
    },
    answers: { 201: answer('What was found in it.', batch) },
    problems: ['conflict'],
  },
  {
    method: 'get',
    path: '/v1/disbursement-batches/{id}',
    id: 'getBatch',
    tag: 'Batches',
    summary: 'How far it has come.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('As it is now.', batch) },
  },
  {
    method: 'get',
    path: '/v1/disbursement-batches/{id}/report',
    id: 'getBatchReport',
    tag: 'Batches',
    summary: 'What became of each row; as CSV with `Accept: text/csv`.',
    role: 'read',
    scope: 'record',
    answers: {
      200: {
        says: 'Row by row, streamed.',
        schema: batchReport,
        files: { 'text/csv': { says: 'One line per row.', example: REPORT_CSV } },
      },
    },
  },
  {
    method: 'post',
    path: '/v1/disbursement-batches/{id}/approve',
    id: 'approveBatch',
    tag: 'Batches',
    summary: 'Approve exactly these bytes.',
    description:
      'By another key than the one that uploaded them (403), within a day, with the hash as it was answered.',
    role: 'approve',
    scope: 'record',
    durable: true,
    body: { schema: approval, limit: APPROVAL_MAX },
    answers: { 200: answer('Its rows are being paid.', batch) },
    problems: ['wrong-state'],
  },
  {
    method: 'post',
    path: '/v1/disbursement-batches/{id}/cancel',
    id: 'cancelBatch',
    tag: 'Batches',
    summary: 'Drop it before it is approved.',
    role: 'enqueue',
    scope: 'record',
    answers: { 200: answer('It is cancelled.', batch) },
    problems: ['wrong-state'],
  },
]);

const directCredits = {
  path: '/v1/direct-credits',
  name: 'DirectCredit',
  tag: 'Direct credits',
  schema: directCredit,
} as const;

export const directCreditRoutes = defineRoutes([
  {
    method: 'post',
    path: '/v1/direct-credits',
    id: 'createDirectCredit',
    tag: 'Direct credits',
    summary: 'Credit an account of the service.',
    description: 'The service cannot be asked about one afterwards: an unclear answer needs review.',
    role: 'enqueue',
    scope: 'named',
    identity: 'required',
    durable: true,
    body: json(directCreditRequest),
    answers: { 202: answer('Accepted, or accepted before.', directCredit) },
  },
  show(directCredits),
  resolve({ ...directCredits, outcomes: ['succeeded', 'failed'] }),
]);

export const balanceRoutes = defineRoutes([
  {
    method: 'get',
    path: '/v1/balances',
    id: 'getBalances',
    tag: 'Operating',
    summary: 'What is left, roughly, by country.',
    description: 'Asked of the service at this moment. Nothing is ever decided by it.',
    role: 'read',
    scope: 'none',
    query: { account: accountQuery },
    answers: { 200: answer('An approximation.', balances) },
    problems: ['not-found', 'upstream-refused', 'upstream-silent'],
  },
  {
    method: 'get',
    path: '/v1/balances/{accountNumber}',
    id: 'getBalance',
    tag: 'Operating',
    summary: 'What is left, roughly, on one account of the service.',
    role: 'read',
    scope: 'none',
    query: { account: accountQuery },
    answers: { 200: answer('An approximation.', balances) },
    problems: ['upstream-refused', 'upstream-silent'],
  },
]);
