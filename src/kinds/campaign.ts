/**
 * Many messages with one text.
 *
 * `ready → held` happens after a restore of PostgreSQL: the campaign may have been started since the backup, so it
 * waits for an operator.
 */
import { z } from 'zod';
import { campaignFields as fields } from './campaign-fields.ts';
import { campaignRequest as request } from './campaign-request.ts';
import { events, told } from './events.ts';
import { kind } from './kind.ts';
import { campaignBins } from './recipient.ts';

const NONE = Object.fromEntries(campaignBins.filter((bin) => bin !== 'sent').map((bin) => [bin, 0]));

export const campaign = kind({
  prefix: 'cmp',
  area: 'messaging',
  states: {
    draft: {
      says: 'It has no recipients yet.',
      next: 'Upload recipients: POST /v1/campaigns/{id}/recipients',
      to: ['ready', 'cancelled'],
    },
    ready: {
      says: 'It has its recipients and was not started; nothing was sent.',
      next: 'Start it: relais campaign start {id}',
      to: ['awaiting_approval', 'scheduled', 'running', 'held', 'cancelled'],
      restored: 'hold',
    },
    awaiting_approval: {
      says: 'It is above CAMPAIGN_APPROVAL_ABOVE and waits for the approval of a different person (four-eyes); nothing more is sent.',
      next: 'A different person approves it, with the contentHash that relais campaign show {id} shows: relais campaign approve {id} --hash HASH',
      to: ['scheduled', 'running', 'held', 'cancelled'],
      restored: 'hold',
    },
    scheduled: {
      says: 'It starts by itself at its time; nothing was sent.',
      queue: 'campaign',
      to: ['awaiting_approval', 'running', 'paused', 'held', 'cancelled'],
      restored: 'hold',
    },
    running: {
      says: 'It is being sent.',
      queue: 'campaign',
      to: ['paused', 'held', 'finished', 'cancelled'],
      restored: 'hold',
    },
    paused: {
      says: 'It is paused; what was sent stays sent.',
      next: 'Resume it: relais campaign resume {id}',
      to: ['awaiting_approval', 'scheduled', 'running', 'held', 'finished', 'cancelled'],
      restored: 'hold',
    },
    held: {
      says: 'It waits for a condition to clear, or for an operator to resume it.',
      next: 'Correct the cause, then resume it: relais campaign resume {id}',
      queue: 'campaign',
      to: ['awaiting_approval', 'scheduled', 'running', 'paused', 'finished', 'cancelled'],
      restored: 'hold',
    },
    finished: { says: 'Every recipient has a final status.', retried: ['running'] },
    cancelled: { says: 'It was cancelled; what was sent stays sent.' },
  },
  request,
  fields,
  events: events(
    {
      'campaign.finished': {
        says: 'Every recipient of the campaign has a final status.',
        example: { name: 'November', totals: { ...NONE, total: 2_000, skipped: 40, sent: 1_960 } },
      },
      'campaign.awaiting_approval': {
        says: 'The campaign waits for approval by a different person and is not sent before.',
        example: { name: 'November', recipients: 120_000, xof: 2_400_000 },
      },
      'campaign.paused': {
        says: 'The campaign is paused and sends nothing until it is resumed.',
        example: { name: 'November' },
      },
      'campaign.cancelled': {
        says: 'The campaign was cancelled or rejected, and sends nothing more.',
        example: { name: 'November', reason: 'not_approved', note: 'The text is wrong', rejectedBy: 'checker' },
      },
      'campaign.held': { says: 'The campaign waits for a condition of its account.', example: { name: 'November' } },
    },
    {
      carries: { reference: told.reference, name: z.string().optional(), metadata: told.metadata },
      more: {
        totals: z
          .object(Object.fromEntries(campaignBins.map((bin) => [bin, z.int()])))
          .optional()
          .meta({ description: 'Recipients by what became of them; `total` is all of them.' }),
        recipients: z.int().optional().meta({ description: 'How many it would be sent to.' }),
        xof: told.xof
          .optional()
          .meta({ description: 'What it is estimated to cost; absent where not all is priced.' }),
        reason: told.reason,
        note: told.note,
        rejectedBy: told.rejectedBy,
      },
    },
  ),
});
