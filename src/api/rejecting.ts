/** Common parts of the three routes by which a different person rejects a request. */
import { z } from 'zod';
import { visible } from '../kinds/request-pieces.ts';
import { APPROVAL_MAX } from './route.ts';

const rejection = z
  .strictObject({
    reason: visible(500).meta({
      description: 'Why it is not approved. Events and reads return it as `note`.',
      example: 'The amount is wrong',
    }),
  })
  .meta({ id: 'Rejection' });

/** Refused during a recovery: the request may have been approved in the data-loss window. */
export const rejecting = {
  method: 'post',
  role: 'approve',
  scope: 'record',
  releases: true,
  body: { schema: rejection, limit: APPROVAL_MAX },
  problems: ['wrong-state'],
} as const;

export const NOT_APPROVED = 'not_approved';
