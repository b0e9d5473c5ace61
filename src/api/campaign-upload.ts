/** Recipients over HTTP: counted, or with `dryRun` only checked. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Check } from '../campaigns/check/check-recipients.ts';
import { type Takable, takable } from '../campaigns/check/doubtful-values.ts';
import { type RepairableCountry, repairableCountries } from '../lib/renumbering.ts';
import { skippedCsv } from '../campaigns/check/skipped-csv.ts';
import {
  NoStopLinks,
  NoText,
  TooManyUploads,
  type UploadAnswer,
  type UploadOptions,
  checkUpload,
  uploadRecipients,
} from '../campaigns/upload.ts';
import { UnusableFile } from '../files/problems.ts';
import { UploadUnderWay } from '../ledger/upload.ts';
import { UnusableTemplate } from '../lib/wording.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { type ApiContext } from './context.ts';
import { requireStill } from './gates.ts';
import { requireFileBody } from './file-body.ts';
import { uploadReport } from './openapi/answers-texts.ts';
import { languageAccepted } from '../messages/languages.ts';
import { flag, listFiles, wholeNumber, replayed, route } from './route.ts';
import { type ApiKey, personOf } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';
import { type Problem, templateProblem } from '../producer/problems.ts';

const PREVIEW_MAX = 20;
const SKIPPED_CSV =
  'to;prenom;row;reason;explanation;column;detail\r\n' +
  '+221771234567;Awa;7;duplicate;The same number is on an earlier row of this file.;;same number as row 2\r\n';
/** The name of a column or a sheet. */
export const named = z.string().regex(/^[^\p{Cc}]{1,100}$/u, says('visible_100'));

const isRepairable = (code: string): code is RepairableCountry =>
  repairableCountries.some((country) => country === code);

const repair = z
  .string()
  .refine(
    (text) => text.split(',').every(isRepairable),
    says('one_or_more_of', { values: repairableCountries.join(',') }),
  )
  .transform((text) => text.split(',').filter(isRepairable));

const isTakable = (reason: string): reason is Takable => takable.some((one) => one === reason);

const take = z
  .string()
  .refine((text) => text.split(',').every(isTakable), says('one_or_more_of', { values: takable.join(',') }))
  .transform((text) => text.split(',').filter(isTakable));

/** Options of reading a file. */
export const reading = {
  repair: repair.optional().meta({
    description: `Countries whose old numbers are renewed, of ${repairableCountries.join(',')}.`,
  }),
  phoneColumn: named.optional().meta({
    description: 'The column of the numbers, where its name does not tell.',
  }),
  sheet: named.optional().meta({ description: 'Of a workbook; absent: the first that can be seen.' }),
  takeHidden: flag.meta({ description: 'Take the rows that the spreadsheet hides, too.' }),
  take: take.optional().meta({
    description: `Send doubtful values as they are, of ${takable.join(',')}; without it these rows are skipped.`,
  }),
};

const addRecipients = route(
  {
    method: 'post',
    path: '/v1/campaigns/{id}/recipients',
    id: 'addRecipients',
    tag: 'Campaigns',
    summary: 'Upload campaign recipients',
    description:
      'Only before the start. The numbers are in the column `to` (also `téléphone`, `mobile`, `portable`, `GSM`, ' +
      '`WhatsApp`, `contact` …, or `phoneColumn`); the other columns are variables. An upload is added as a whole ' +
      'or not at all. Several uploads append. The same bytes, read in the same way, are a replay, unless they ' +
      'added no recipient before. A draft without recipients stays a draft.',
    role: 'enqueue-sms',
    scope: 'record',
    record: 'campaign',
    durable: true,
    query: {
      dryRun: flag.meta({ description: 'Judge everything, add nothing.' }),
      preview: wholeNumber(PREVIEW_MAX).optional().meta({ description: 'Show so many of the first texts.' }),
      ...reading,
    },
    body: { files: listFiles('to;prenom\n+221771234567;Awa\n', '{"to":"+221771234567","prenom":"Awa"}\n') },
    answers: {
      200: {
        says:
          'What was counted, and what was left out and why. With `dryRun` and `Accept: text/csv` the rows that would be ' +
          'left out, with the reason in the language of `Accept-Language`.',
        schema: uploadReport,
        files: { 'text/csv': { says: 'The columns of the file, and what is wrong.', example: SKIPPED_CSV } },
      },
    },
    problems: ['wrong-state'],
  },
  async ({ context, key, record, query, request, response, act, hold }) => {
    if (record.state !== 'draft' && record.state !== 'ready') {
      throw new ApiProblem('wrong-state', message('campaign_takes_no_recipients', { state: record.state }));
    }
    const file = requireFileBody(request);
    const wishes = {
      ...query,
      repair: query.repair ?? [],
      by: personOf(key),
      act: act(record.id),
      held: hold(),
      ...file,
    };
    const options = { ...toolsOf(context, record), ...wishes };
    const campaign = withCountry(context, record);
    if (query.dryRun && request.accepts(['json', 'csv']) === 'csv') {
      await judging(request, async () =>
        sendSkipped(await checkUpload(campaign, whole(request), options), request, response),
      );
      return undefined;
    }
    const bytes = whileAsking(context, key, request);
    const given = await judging(request, () => uploadRecipients(campaign, bytes, options));
    if (given.is === 'changed') {
      throw new ApiProblem('wrong-state', message('campaign_changed_during_upload'), {
        rule: 'content-changed',
      });
    }
    replayed(response, given.is === 'replayed');
    return viewOf(given);
  },
);

/** Not destroyed after a refusal: the sender must be able to read it. */
const whole = (request: Request): AsyncIterable<Buffer> => request.iterator({ destroyOnReturn: false });

/** An upload may take minutes: nothing counts if its key was revoked meanwhile. */
export async function* whileAsking(
  context: ApiContext,
  key: ApiKey,
  request: Request,
): AsyncGenerator<Buffer, void, undefined> {
  yield* whole(request);
  await requireStill(context, key);
}

export function withCountry({ defaultCountry }: ApiContext, campaign: CampaignRecord): CampaignRecord {
  return defaultCountry === undefined ? campaign : { country: defaultCountry, ...campaign };
}

export function toolsOf(
  { uploads, optOuts, smsPrices, senderOf, stop }: ApiContext,
  { account }: CampaignRecord,
): UploadOptions {
  return { store: uploads, optOuts, prices: smsPrices, sender: senderOf(account), stop: stop() };
}

/** Errors of the whole file are reported to its author. */
export async function judging<T>(request: Request, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnusableTemplate) throw invalid([templateProblem(error)]);
    if (error instanceof NoStopLinks || error instanceof NoText)
      throw invalid([{ pointer: '/text', message: error.said }]);
    if (error instanceof TooManyUploads) throw new ApiProblem('wrong-state', error.said, { rule: 'limit' });
    if (error instanceof UploadUnderWay) throw new ApiProblem('busy', message('upload_under_way'));
    if (error instanceof UnusableFile) throw invalid(error.problems.map(describeFileProblem));
    // The client disconnected; the log must not show it as our error.
    if (request.destroyed && !request.complete) throw new ApiProblem('malformed', message('body_ended'));
    throw error;
  }
}

/** Buffered characters: most unusable files are detected within them, and get a proper error. */
const HELD_CHARACTERS = 1_000_000;

/** After the buffer, rows are sent as they are read; if the file then proves unusable, the answer is cut off. */
export async function sendSkipped(check: Check, request: Request, response: Response): Promise<void> {
  const language = languageAccepted(request.get('accept-language')) ?? 'en';
  const rest = skippedCsv(check, language);
  try {
    let held = '';
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      held += next.value;
      if (held.length > HELD_CHARACTERS) break;
    }
    response.set({ 'Content-Language': language, Vary: 'Accept, Accept-Language' }).type('text/csv');
    await sendAll(held, rest, response);
  } finally {
    // An unreleased workbook blocks its slot: after two of them no other could be read.
    await rest.return();
  }
}

async function sendAll(held: string, rest: AsyncIterable<string>, response: Response): Promise<void> {
  const all = async function* (): AsyncGenerator<string> {
    yield held;
    yield* rest;
  };
  try {
    await pipeline(Readable.from(all()), response);
  } catch (error) {
    if (!response.destroyed) throw error;
  }
}

export function viewOf(given: Exclude<UploadAnswer, { is: 'changed' }>) {
  if (given.is === 'checked') return { dryRun: true, replayed: false, ...given.summary };
  if (given.is === 'counted') return { replayed: false, ...given.summary };
  const { recipients, skipped } = given.upload;
  return { replayed: true, total: recipients + skipped, recipients, skipped };
}

function describeFileProblem({ code, detail, row }: UnusableFile['problems'][number]): Problem {
  const said = { code };
  return {
    code,
    pointer: row === undefined ? '' : `/${row}`,
    message: detail === undefined ? said : message('with_detail', { said, detail }),
  };
}

export const uploadRoutes = [addRecipients];
