/** Answers about the audit log. */
import { z } from 'zod';
import { actNames } from '../../kinds/acts.ts';
import { count, perhaps, text, time } from './answers-shared.ts';

const place = text('1763712000000-48211');
const facts = (example: Readonly<Record<string, unknown>>) =>
  perhaps(z.record(z.string(), z.unknown()).meta({ example }));

const auditItem = z
  .looseObject({
    id: place,
    at: time,
    by: text('approver').meta({ description: 'The name of the key; or of settings that changed a limit.' }),
    person: perhaps(text('awa')).meta({ description: 'Whose key it is, where that is said.' }),
    role: perhaps(text('approve')).meta({ description: 'The role that the act needs.' }),
    source: text('api').meta({
      description:
        'Entry point: `api`; `console` (a session); `link` (the link in an SMS); `settings` (a process at its start); `sql`; `intake`.',
    }),
    requestId: text('3f9a1c2e77b04d15').meta({ description: 'The `X-Request-Id` of the request.' }),
    act: text('disbursement.approve').meta({ description: `One of ${actNames.join(', ')}.` }),
    target: perhaps(text('dsb_0f6c8d4b2a1e49578c3d')).meta({ description: 'What it was done to.' }),
    before: facts({ state: 'awaiting_approval' }),
    after: facts({ state: 'queued', amount: 250_000 }),
    hash: text('0d1f3c0a5be6cf0a4b5e0a3c2a1f9d8e7c6b5a490d1f3c0a5be6cf0a4b5e0a3c').meta({
      description: 'The MAC of this line and all lines before it. Empty until the line is signed.',
    }),
  })
  .meta({ id: 'AuditItem' });

export const auditPage = z
  .looseObject({
    items: z.array(auditItem),
    next: perhaps(place).meta({ description: 'Give it as `after` to go on; null at the end.' }),
  })
  .meta({ id: 'AuditPage' });

export const auditVerdict = z
  .looseObject({
    fits: z.boolean().meta({ example: true }),
    lines: count.meta({ description: 'How many lines there have ever been, up to where they fit.' }),
    first: perhaps(place).meta({ description: 'The oldest that is kept.' }),
    last: perhaps(place),
    sealedTo: perhaps(place).meta({ description: 'Up to here the lines are sealed with SEALING_SECRET.' }),
    fault: perhaps(z.looseObject({ id: place, why: text('it was sealed, and is no longer there') })).meta({
      description: 'The first line that does not fit.',
    }),
  })
  .meta({ id: 'AuditVerdict' });

const keyFields = {
  id: perhaps(text('key_0f6c8d4b2a1e49578c3d')).meta({ description: 'null: it is of API_KEYS.' }),
  name: text('awa-phone'),
  roles: z.array(text('approve')),
  accounts: perhaps(z.array(text('main'))).meta({ description: 'null: all.' }),
  person: perhaps(text('awa')),
  service: perhaps(text('shop')),
  createdAt: perhaps(time),
  createdBy: text('root').meta({ description: 'Who made it; `settings`: it is of API_KEYS.' }),
  expiresAt: perhaps(time),
  revokedAt: perhaps(time),
};

export const apiKeyWithSecret = z
  .looseObject({
    ...keyFields,
    secret: text('rk_3f9a1c2e77b04d15').meta({ description: 'Sent as `Authorization: Bearer …`. Shown this once.' }),
  })
  .meta({ id: 'ApiKeyWithSecret' });

export const apiKeyList = z
  .looseObject({ items: z.array(z.looseObject(keyFields).meta({ id: 'ApiKey' })), next: z.null() })
  .meta({ id: 'ApiKeyList' });
