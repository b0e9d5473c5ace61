/** The file of a draft, stored until the decision: it can be checked repeatedly, and is counted once it is added. */
import { z } from 'zod';
import { leavable, questionsIn } from '../campaigns/check/questions.ts';
import type { CheckSummary, SkipReason } from '../campaigns/check/report.ts';
import { checkUpload, uploadRecipients } from '../campaigns/upload.ts';
import { FileTooLarge, type KeptFile } from '../ledger/kept-files.ts';
import { contentHashOf } from '../campaigns/content.ts';
import type { CampaignRecord } from '../operations/record.ts';
import {
  judging,
  reading,
  sendSkipped,
  toolsOf,
  viewOf,
  whileAsking,
  withCountry,
  named,
} from './campaign-upload.ts';
import { type ApiContext } from './context.ts';
import { personOf } from './keys.ts';
import { FORMATS, requireFileBody } from './file-body.ts';
import { fileReport, keptFile } from './openapi/answers-texts.ts';
import { ApiProblem, invalid } from './problem.ts';
import { answer, flag, hashOfContent, listFiles, replayed, route, STREAMED_BYTES, wholeNumber } from './route.ts';
import { message } from '../messages/message.ts';

/** The maximum of a workbook. */
const MOST_BYTES = 50_000_000;
const ROWS_MOST = 10_000_000;
const SHOWN = 5;

const shared = { tag: 'Campaigns', scope: 'record', record: 'campaign' } as const;

const keepFile = route(
  {
    ...shared,
    method: 'post',
    path: '/v1/campaigns/{id}/file',
    id: 'keepFile',
    summary: 'Store the recipient file of a draft',
    description:
      'For a campaign without recipients. The file is stored for three days and replaces the previous one. Check ' +
      'it, and add its recipients, with `…/file/recipients`.',
    role: 'enqueue-sms',
    durable: true,
    query: { name: named.optional().meta({ description: 'What its author calls it.' }) },
    body: { files: listFiles('to;prenom\n+221771234567;Awa\n', '{"to":"+221771234567","prenom":"Awa"}\n') },
    answers: { 200: answer('It is kept.', keptFile) },
    problems: ['wrong-state'],
  },
  async ({ context, key, record, query, request, type, again }) => {
    requireDraft(record);
    requireFileBody(request);
    // Before the file is visible: a concurrent request that adds it finds a changed campaign.
    await context.campaigns.amend(record.id, {}, { by: personOf(key) });
    const facts = { name: query.name ?? '', type: String(type), at: context.clock.now(), most: MOST_BYTES };
    try {
      await judging(request, () => context.keptFiles.keep(record.id, whileAsking(context, key, request), facts));
    } catch (error) {
      if (error instanceof FileTooLarge) throw invalid([{ pointer: '', message: message('most_50_mb') }]);
      throw error;
    }
    const now = await again();
    // The upload took minutes, and its campaign was started or cancelled meanwhile: the file is no longer needed.
    if (now.state !== 'draft') await context.keptFiles.forget(record.id);
    requireDraft(now);
    return fileView(await requireFile(context, now), now);
  },
);

const getFile = route(
  {
    ...shared,
    method: 'get',
    path: '/v1/campaigns/{id}/file',
    id: 'getFile',
    summary: 'Get the recipient file of a draft',
    description: 'With the result of the last check.',
    role: 'read',
    answers: { 200: answer('It is there; without a file all of it is null.', keptFile) },
  },
  async ({ context, record }) => fileView(await context.keptFiles.find(record.id), record),
);

const reasons = z
  .string()
  .transform((text) => text.split(',').filter((word): word is SkipReason => leavable.some((one) => one === word)));

const seen = (of: string) =>
  hashOfContent.optional().meta({
    description: `\`contentHash\` of ${of} that was looked at. It is refused where that is another by now.`,
  });

const countFile = route(
  {
    ...shared,
    method: 'post',
    path: '/v1/campaigns/{id}/file/recipients',
    id: 'countFile',
    summary: 'Check or add a stored recipient file',
    description:
      'With `dryRun`, relais checks the file and stores how it was read. Without `dryRun`, relais adds the file as ' +
      'a whole or not at all. While a decision is missing, the request is refused (409, `undecided`).',
    role: 'enqueue-sms',
    durable: true,
    query: {
      dryRun: flag.meta({ description: 'Judge everything, add nothing.' }),
      ...reading,
      row: wholeNumber(ROWS_MOST).optional().meta({ description: 'Show the text of this row, too.' }),
      leaveOut: reasons
        .optional()
        .meta({ description: 'Rows that are left out for these reasons are meant to be.', example: 'no_country' }),
      asWritten: flag.meta({ description: 'Send the text as it is written, whatever looks doubtful in it.' }),
      seenFile: seen('the report'),
      seenCampaign: seen('the campaign'),
    },
    answers: {
      200: {
        says: 'What was counted, what was left out and why, and what is still to be decided.',
        schema: fileReport,
        files: {
          'text/csv': { says: 'With `dryRun`: the rows that would be left out.', example: 'to;row;reason\r\n' },
        },
      },
    },
    problems: ['wrong-state', 'busy'],
  },
  async ({ context, key, record, query, request, response, act, again, hold }) => {
    requireDraft(record);
    const held = hold();
    held.take(STREAMED_BYTES);
    const file = await requireFile(context, record);
    const { dryRun, leaveOut = [], asWritten, row, seenFile, seenCampaign, ...how } = query;
    requireSeen(seenCampaign, contentHashOf(record));
    const options = {
      ...toolsOf(context, record),
      ...how,
      repair: how.repair ?? [],
      format: formatOf(file),
      preview: SHOWN,
      withValues: true,
      row,
      by: personOf(key),
      act: act(record.id),
      held,
    };
    const campaign = withCountry(context, record);
    const bytes = () => context.keptFiles.open(record.id);
    if (dryRun && request.accepts(['json', 'csv']) === 'csv') {
      await judging(request, async () =>
        sendSkipped(await checkUpload(campaign, bytes(), options), request, response),
      );
      return undefined;
    }
    const answers = { leaveOut, asWritten };
    const judged = await judging(request, () => uploadRecipients(campaign, bytes(), { ...options, dryRun: true }));
    if (judged.is !== 'checked') throw new Error('a dry run counted something');
    const { contentHash } = judged.summary;
    // Before the answer is stored: an answer belongs to one file.
    requireSeen(seenFile, contentHash);
    const report = { ...viewOf(judged), decisions: questionsIn(judged.summary, answers) };
    // Not valid if the text was changed meanwhile.
    const isSo = (await again()).rev === record.rev;
    await context.keptFiles.judged(record.id, file, {
      options: { ...how, repair: how.repair ?? [], take: how.take ?? [], leaveOut, asWritten },
      report: isSo ? report : undefined,
    });
    if (dryRun) return report;
    requireDecided(report.decisions, judged.summary);
    const given = await judging(request, () => uploadRecipients(campaign, bytes(), { ...options, contentHash }));
    if (given.is === 'changed') throw changedMeanwhile();
    if (given.is === 'checked') throw new Error('nothing was counted');
    await context.keptFiles.forget(record.id);
    replayed(response, given.is === 'replayed');
    return { ...viewOf(given), decisions: [] };
  },
);

function requireDraft({ state }: CampaignRecord): void {
  if (state !== 'draft') {
    const detail = message('campaign_takes_no_file', { state });
    throw new ApiProblem('wrong-state', detail, { state });
  }
}

async function requireFile({ keptFiles }: ApiContext, { id }: CampaignRecord): Promise<KeptFile> {
  const file = await keptFiles.find(id);
  if (file) return file;
  throw new ApiProblem('wrong-state', message('campaign_without_file'), {
    state: 'draft',
  });
}

function requireDecided(open: readonly { readonly reason: string }[], { recipients }: CheckSummary): void {
  const left = open.map(({ reason }) => reason).join(', ');
  if (left !== '')
    throw new ApiProblem('wrong-state', message('decisions_missing', { decisions: left }), { rule: 'undecided' });
  if (recipients === 0) throw new ApiProblem('wrong-state', message('no_recipient_left'), { rule: 'undecided' });
}

function requireSeen(seenThen: string | undefined, now: string): void {
  if (seenThen !== undefined && seenThen !== now) throw changedMeanwhile();
}

function changedMeanwhile(): ApiProblem {
  const detail = message('campaign_changed_since_read');
  return new ApiProblem('wrong-state', detail, { rule: 'content-changed' });
}

function formatOf({ type }: KeptFile) {
  return FORMATS[type as keyof typeof FORMATS];
}

function fileView(file: KeptFile | undefined, { country, replaceCostly }: CampaignRecord) {
  const numbers = { country: country ?? null, replaceCostly };
  if (!file) return { name: null, bytes: null, keptAt: null, until: null, ...numbers, options: null, report: null };
  const { name, bytes, at, until, options = null, report = null } = file;
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    name,
    bytes,
    keptAt: iso(at),
    until: iso(until),
    ...numbers,
    options: options as z.input<typeof keptFile>['options'],
    report: report as z.input<typeof keptFile>['report'],
  };
}

export const fileRoutes = [keepFile, getFile, countFile];
