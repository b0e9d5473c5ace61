/** Answers about refused requests of the queue `intake`. */
import { z } from 'zod';
import { rejectionFields } from '../../kinds/intake.ts';
import { accountField, perhaps, text, time } from './answers-shared.ts';

export const intakeList = z
  .looseObject({
    items: z.array(
      z
        .looseObject({
          id: text('rej_0f6c8d4b2a1e49578c3d'),
          state: z.literal('rejected'),
          at: time,
          jobId: text('17')
            .optional()
            .meta({ description: 'The id of the BullMQ job. Absent: the request came over SQL.' }),
          kind: text('disbursement').meta(rejectionFields.kind.meta() ?? {}),
          account: accountField,
          reference: perhaps(text('order-1042')),
          existingId: perhaps(text('dsb_0f6c8d4b2a1e49578c3d')).meta(rejectionFields.existingId.meta() ?? {}),
          problems: z.array(z.looseObject({ pointer: text('/amount'), message: text('is required') })),
        })
        .meta({ id: 'RejectedIntake' }),
    ),
    next: perhaps(text('1763712000000-0')).meta({ description: 'Give it as `after` to go on; null at the end.' }),
  })
  .meta({ id: 'IntakeList' });
