/** One SMS to one recipient. Up to 50 due ones leave in one request. */
import { z } from 'zod';
import {
  account,
  createdAt,
  example,
  id,
  metadata,
  moment,
  perhaps,
  reference,
  stateLike,
  updatedAt,
} from './answer-pieces.ts';
import { events, told } from './events.ts';
import { maybeText, maybeTime, shown, text } from './fields.ts';
import { kind } from './kind.ts';
import {
  accountName,
  askedMetadata,
  askedTime,
  phone,
  askedReference,
  senderId,
  textToSend,
} from './request-pieces.ts';
import { says } from '../messages/schemas.ts';

export const messageRequest = z
  .strictObject({
    to: phone.meta({ description: 'In international form.', example: '+221771234567' }),
    text: textToSend.meta({ example: 'Your code is 4711' }),
    from: senderId.optional().meta({ description: 'Sender signature configured on the messaging account.' }),
    account: accountName.default('main'),
    lane: z.enum(['otp', 'normal']).default('normal').meta({
      description: '`otp`: not behind anything else, and the text is erased once it is settled.',
    }),
    sendAt: askedTime.optional().meta({ description: 'Not sent before this time.' }),
    expiresAt: askedTime.optional().meta({ description: 'Not sent after this time.' }),
    reference: askedReference.optional(),
    metadata: askedMetadata,
  })
  .refine(({ sendAt, expiresAt }) => !sendAt || !expiresAt || Date.parse(sendAt) < Date.parse(expiresAt), {
    path: ['expiresAt'],
    error: says('later_than_send_at'),
  })
  .meta({ id: 'MessageRequest' });

export const message = kind({
  prefix: 'msg',
  area: 'messaging',
  payee: 'to',
  states: {
    queued: {
      says: 'It is accepted and waits for its turn; nothing was sent.',
      queue: { normal: 'sms-batch', otp: 'sms-otp' },
      to: ['sending', 'unknown', 'expired', 'skipped', 'cancelled'],
      restored: 'doubt',
    },
    sending: {
      says: 'It is being sent at this moment, or was when a worker died.',
      queue: { normal: 'sms-batch', otp: 'sms-otp' },
      to: ['queued', 'sent', 'failed', 'unknown'],
      restored: 'doubt',
    },
    unknown: {
      says: 'It may or may not have been sent; the statistics of the provider are being checked.',
      queue: 'status-poll',
      to: ['queued', 'sent', 'failed'],
      restored: 'look',
    },
    sent: { says: 'The provider accepted it; it gives no delivery receipt.' },
    failed: {
      says: 'The provider refused it; it was not sent.',
      next: 'Correct the cause and send it again under another reference.',
    },
    skipped: { says: 'It was left out; nothing was sent.' },
    expired: {
      says: 'It expired before it was sent.',
      next: 'If it is still wanted, send it again with a later expiresAt.',
    },
    cancelled: { says: 'It was cancelled before it was sent.' },
  },
  request: messageRequest,
  fields: {
    id,
    state: stateLike('sent', '`sent`: the provider took it for sending.'),
    to: shown(text, example('+221771234567')),
    lane: shown(text, z.enum(['otp', 'normal']).meta({ example: 'normal' })),
    account,
    reference,
    metadata,
    code: shown(
      maybeText,
      perhaps(example('ERROR_110')).meta({ description: "The provider's code, where it gave one." }),
    ),
    disbursement: shown(
      maybeText,
      z.string().optional().meta({ description: 'The payment that it reports to its payee.' }),
    ),
    sendAt: shown(maybeTime, perhaps(moment).meta({ description: 'Not sent before this time.' })),
    sentAt: shown(maybeTime, perhaps(moment)),
    createdAt,
    updatedAt,

    text,
    from: maybeText,
    reason: maybeText,
    expiresAt: maybeTime,
  },
  events: events(
    {
      'message.sent': { says: 'The provider accepted the SMS for sending.', example: {} },
      'message.failed': { says: 'The SMS was not sent and will not be sent.', example: { code: 'ERROR_110' } },
      'message.unknown': {
        says: 'The SMS may or may not have been sent, and no further status is expected.',
        example: {},
      },
      'message.expired': { says: 'The SMS expired before it was sent.', example: {} },
      'message.cancelled': { says: 'The SMS was cancelled before it was sent.', example: {} },
      'message.skipped': {
        says: 'The SMS was not sent because the recipient had opted out.',
        example: { reason: 'opted_out' },
      },
    },
    {
      carries: {
        reference: told.reference,
        metadata: told.metadata,
        disbursement: z.string().optional().meta({ description: 'The payment that it reports to its payee.' }),
      },
      more: {
        code: z.string().optional().meta({ description: 'The code of the provider, where it gave one.' }),
        reason: told.reason,
      },
    },
  ),
});
