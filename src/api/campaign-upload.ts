/** Recipients over HTTP: counted, or with `dryRun` only judged. */
import type { Request } from 'express';
import { z } from 'zod';
import { type RepairableCountry, repairableCountries } from '../campaigns/check/phone.ts';
import { NoStopLinks, type UploadAnswer, uploadRecipients } from '../campaigns/upload.ts';
import { UnusableFile } from '../files/problems.ts';
import type { Act } from '../operations/audit.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { type ApiContext, requireKept } from './context.ts';
import { type FileBody, requireFileBody } from './mount.ts';
import { uploadReport } from './openapi/answers-texts.ts';
import { answer, flag, listFiles, wholeNumber, replayed, route } from './route.ts';
import { personOf } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

const PREVIEW_MAX = 20;
/** Of a column or a sheet. */
const named = z.string().regex(/^[^\p{Cc}]{1,100}$/u, 'must be 1 to 100 characters that can be seen');

const isRepairable = (code: string): code is RepairableCountry =>
  repairableCountries.some((country) => country === code);

const repair = z
  .string()
  .refine((text) => text.split(',').every(isRepairable), `must be some of ${repairableCountries.join(',')}`)
  .transform((text) => text.split(',').filter(isRepairable));

const addRecipients = route(
  {
    method: 'post',
    path: '/v1/campaigns/{id}/recipients',
    id: 'addRecipients',
    tag: 'Campaigns',
    summary: 'Upload recipients, before the start.',
    description:
      'Column `to` (also `téléphone`, `mobile`, `portable`, `GSM`, `WhatsApp`, `contact` …, or `phoneColumn`); the others ' +
      'are variables. An upload counts whole or not at all; the same bytes again are a replay; several uploads append.',
    role: 'enqueue',
    scope: 'record',
    record: 'campaign',
    durable: true,
    query: {
      dryRun: flag.meta({ description: 'Judge everything, add nothing.' }),
      preview: wholeNumber(PREVIEW_MAX).optional().meta({ description: 'Show so many of the first texts.' }),
      repair: repair.optional().meta({
        description: `Countries whose old numbers are renewed, of ${repairableCountries.join(',')}.`,
      }),
      phoneColumn: named.optional().meta({
        description: 'The column of the numbers, where its name does not tell.',
      }),
      sheet: named.optional().meta({ description: 'Of a workbook; absent: the first that can be seen.' }),
      takeHidden: flag.meta({ description: 'Take the rows that the spreadsheet hides, too.' }),
    },
    body: { files: listFiles('to;prenom\n+221771234567;Awa\n', '{"to":"+221771234567","prenom":"Awa"}\n') },
    answers: { 200: answer('What was counted, and what was left out and why.', uploadReport) },
    problems: ['wrong-state'],
  },
  async ({ context, key, record, query, request, response, act }) => {
    if (record.state !== 'draft' && record.state !== 'ready') {
      throw new ApiProblem('wrong-state', `It is ${record.state}: recipients are added before the start.`);
    }
    const file = requireFileBody(request);
    const wishes = { ...query, repair: query.repair ?? [], by: personOf(key), act: act(record.id), ...file };
    const given = await uploaded(context, record, request, wishes);
    if (given.is === 'changed') {
      throw new ApiProblem('wrong-state', 'The campaign was changed meanwhile; nothing was added. Send it again.', {
        rule: 'content-changed',
      });
    }
    if (given.is !== 'checked') await requireKept(context);
    replayed(response, given.is === 'replayed');
    return viewOf(given);
  },
);

interface Wishes {
  readonly act: Act;
  readonly repair: readonly RepairableCountry[];
  readonly preview: number | undefined;
  readonly dryRun: boolean;
  readonly phoneColumn: string | undefined;
  readonly sheet: string | undefined;
  readonly takeHidden: boolean;
  readonly by: string;
}

async function uploaded(
  { campaigns, slices, random, defaultCountry, optOuts, smsPrices, senderOf, stop }: ApiContext,
  campaign: CampaignRecord,
  request: Request,
  wishes: Wishes & FileBody,
): Promise<UploadAnswer> {
  const within = defaultCountry === undefined ? campaign : { country: defaultCountry, ...campaign };
  const sender = senderOf(campaign.account);
  const tools = { campaigns, slices, random, optOuts, prices: smsPrices, sender, stop: stop() };
  try {
    return await uploadRecipients(within, request, { ...tools, ...wishes });
  } catch (error) {
    if (error instanceof NoStopLinks) throw invalid([{ pointer: '/text', message: error.message }]);
    if (error instanceof UnusableFile) throw invalid(error.problems.map(describeFileProblem));
    // Nobody is left to read it; it must not look like a fault of ours in the log.
    if (request.destroyed && !request.complete) throw new ApiProblem('malformed', 'The body broke off.');
    throw error;
  }
}

function viewOf(given: Exclude<UploadAnswer, { is: 'changed' }>) {
  if (given.is === 'checked') return { dryRun: true, replayed: false, ...given.summary };
  if (given.is === 'counted') return { replayed: false, ...given.summary };
  const { recipients, skipped } = given.upload;
  return { replayed: true, total: recipients + skipped, recipients, skipped };
}

function describeFileProblem({ message, detail, row }: UnusableFile['problems'][number]) {
  return {
    pointer: row === undefined ? '' : `/${row}`,
    message: detail === undefined ? message : `${message} (${detail.message})`,
  };
}

export const uploadRoutes = [addRecipients];
