/** Recipients over HTTP: counted, or with `dryRun` only judged. */
import type { Request, Response } from 'express';
import { UnusableFile } from '../files/problems.ts';
import { type RepairableCountry, repairableCountries } from '../campaigns/check/phone.ts';
import { type UploadAnswer, uploadRecipients } from '../campaigns/upload.ts';
import { IN_SLICES } from '../operations/slices.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { type ApiContext, queryNumber, queryText, requireKept } from './context.ts';
import { type FileBody, requireFileBody } from './file-body.ts';
import { ApiProblem, invalid } from './problem.ts';

const PREVIEW_MAX = 20;
/** Of a column or a sheet. */
const NAME = /^[^\p{Cc}]{1,100}$/u;

/** The campaign is one that the caller may see, and recipients may be added to it. */
export async function takeUpload(
  context: ApiContext,
  campaign: CampaignRecord,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<void> {
  const answer = await uploaded(context, campaign, request, { ...requireFileBody(request), ...wishesOf(request) });
  if (answer.is === 'changed') {
    throw new ApiProblem('wrong-state', 'The campaign was changed meanwhile; nothing was added. Send it again.');
  }
  if (answer.is !== 'checked') await requireKept(context);
  if (answer.is === 'replayed') response.set('Idempotency-Replayed', 'true');
  response.json(viewOf(answer));
}

interface Wishes {
  readonly repair: readonly RepairableCountry[];
  readonly preview: number | undefined;
  readonly dryRun: boolean;
  readonly phoneColumn: string | undefined;
  readonly sheet: string | undefined;
  readonly takeHidden: boolean;
}

function wishesOf(request: Request): Wishes {
  const repair = queryText(request, 'repair', /^[A-Z,]{2,40}$/)?.split(',') ?? [];
  const known = repair.filter((code) => repairableCountries.some((country) => country === code));
  if (known.length < repair.length) {
    throw invalid([{ pointer: '/repair', message: `must be some of ${repairableCountries.join(',')}` }]);
  }
  const asked = request.query['preview'] !== undefined;
  return {
    repair: known as RepairableCountry[],
    preview: asked ? queryNumber(request, 'preview', 1, PREVIEW_MAX) : undefined,
    dryRun: queryText(request, 'dryRun', /^(true|false)$/) === 'true',
    phoneColumn: queryText(request, 'phoneColumn', NAME),
    sheet: queryText(request, 'sheet', NAME),
    takeHidden: queryText(request, 'takeHidden', /^(true|false)$/) === 'true',
  };
}

async function uploaded(
  { campaigns, queries, slices, random, defaultCountry, optOuts, smsPrices, senderOf }: ApiContext,
  campaign: CampaignRecord,
  request: Request,
  wishes: Wishes & FileBody,
): Promise<UploadAnswer> {
  const within = defaultCountry === undefined ? campaign : { country: defaultCountry, ...campaign };
  const sender = senderOf(campaign.account);
  const tools = { campaigns, queries, random, optOuts, prices: smsPrices, sender, ...(IN_SLICES ? { slices } : {}) };
  try {
    return await uploadRecipients(within, request, { ...tools, ...wishes });
  } catch (error) {
    if (error instanceof UnusableFile) throw invalid(error.problems.map(describeFileProblem));
    // Nobody is left to read it; it must not look like a fault of ours in the log.
    if (request.destroyed && !request.complete) throw new ApiProblem('malformed', 'The body broke off.');
    throw error;
  }
}

function viewOf(answer: Exclude<UploadAnswer, { is: 'changed' }>) {
  if (answer.is === 'checked') return { dryRun: true, replayed: false, ...answer.summary };
  if (answer.is === 'counted') return { replayed: false, ...answer.summary };
  const { recipients, skipped } = answer.upload;
  return { replayed: true, total: recipients + skipped, recipients, skipped };
}

function describeFileProblem({ message, detail, row }: UnusableFile['problems'][number]) {
  return {
    pointer: row === undefined ? '' : `/${row}`,
    message: detail === undefined ? message : `${message} (${detail})`,
  };
}
