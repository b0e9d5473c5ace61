/** Pieces of declarations that many routes share. */
import { z } from 'zod';
import { accountName } from '../../kinds/request-pieces.ts';
import type { Files } from '../route.ts';

/** That of `relais dev`. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** Of a JSON body, packed or not. */
export const JSON_MAX = '1mb';
/** An approval is a hash and little else. */
export const APPROVAL_MAX = '10kb';

/** Of exactly what was looked at. */
export const approvalOf = (id: string) =>
  z
    .strictObject({
      contentHash: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 in hex')
        .meta({ example: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c' }),
    })
    .meta({ id });

export const json = <S extends z.ZodType>(schema: S) => ({ schema, limit: JSON_MAX }) as const;

/** The acceptance reads it, as it does for every door. */
export const accepted = <S extends z.ZodType>(schema: S) => ({ ...json(schema), readBy: 'acceptance' }) as const;

export const answer = <S extends z.ZodType>(says: string, schema: S) => ({ says, schema }) as const;

export const wholeNumber = (max: number) => z.int().min(1).max(max);

export const limit = (fallback: number, max: number) =>
  wholeNumber(max).default(fallback).meta({ description: 'How many at most.' });

/** `true` or `false`, as a query writes it. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

export const NO_PLACE = 'is not the `next` of a page';

/** Where a page ended; what is no such place would begin again at the first page. */
export const after = (form: RegExp) =>
  z.string().regex(form, NO_PLACE).optional().meta({ description: '`next` of the page before.' });

/** Of a list: absent, of all accounts that the key may see. */
export const listedAccount = accountName.optional().meta({ description: 'Only of this account.' });

export const accountQuery = z.string().default('main').meta({ description: 'The name of the account.' });

/** A list of people, in the formats that people have. */
export const listFiles = (csv: string, line: string) =>
  ({
    'text/csv': {
      says:
        'Separated by commas, semicolons, tabs or bars; in UTF-8, UTF-16, Windows-1252 or Mac Roman, found out where ' +
        'no `charset` says it.',
      example: csv,
    },
    'application/x-ndjson': { says: 'One per line.', example: line },
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': WORKBOOK,
    'application/vnd.oasis.opendocument.spreadsheet': WORKBOOK,
    'application/vnd.ms-excel': { says: 'As a browser on Windows calls CSV and workbooks.', example: csv },
  }) as const satisfies Files;

const WORKBOOK = { says: 'A workbook of at most 50 MB, as it is.', example: 'PK…' } as const;

/** One request a line, one verdict a line, in the same order and while lines still come. */
export const inBulk = (line: string) =>
  ({
    'application/x-ndjson': {
      says: 'One request per line, streamed, however many. Each is judged by itself; an account that the key may not use is `invalid`.',
      example: `${line}\n`,
    },
  }) as const satisfies Files;

export const VERDICT_LINES = {
  'application/x-ndjson': {
    says:
      'For a body of lines: a verdict per line (see MessageVerdicts), streamed. `unconfirmed`: ask for the line again; ' +
      '`stopped`: neither this line nor any after it was taken.',
    example: '{"index":0,"id":"dsb_0f6c8d4b2a1e49578c3d","outcome":"accepted"}\n',
  },
} as const satisfies Files;
