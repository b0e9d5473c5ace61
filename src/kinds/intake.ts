/** A refused request of the queue `intake`, and its event. */
import { z } from 'zod';
import type { EventsOf } from './events.ts';

/** It contains no value of the request, no secret and no full phone number. */
export interface Rejection {
  /** Derived from the job: a job that runs again is reported under the same id. */
  readonly id: string;
  /** Absent: the request came over SQL. */
  readonly jobId?: string | undefined;
  /** `unknown`: the job names no existing kind. */
  readonly kind: string;
  readonly account: string;
  readonly reference?: string | undefined;
  /** Only for a conflict: the operation that has this reference. */
  readonly existingId?: string | undefined;
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
}

export const UNKNOWN_KIND = 'unknown';

const problem = z.looseObject({
  pointer: z.string().meta({ description: 'JSON pointer into the request; empty: the whole request.' }),
  message: z.string(),
});

/** Fields that the event and the list share. */
export const rejectionFields = {
  id: z.string().meta({ description: 'The id of the report. A job that runs again has the same one.' }),
  jobId: z.string().optional().meta({ description: 'The id of the BullMQ job, phone numbers masked.' }),
  kind: z.string().meta({ description: 'The kind of the request; `unknown`: the job names no kind that exists.' }),
  reference: z.string().optional().meta({ description: 'The name that the caller gave it, phone numbers masked.' }),
  existingId: z.string().optional().meta({ description: 'Of a conflict: the operation that has this reference.' }),
  problems: z.array(problem).meta({ description: 'Every problem. Values of the request are left out.' }),
};

export const intake = {
  prefix: 'rej',
  events: {
    types: {
      'intake.rejected': {
        says: 'A job of the queue `intake` was refused: nothing was recorded and nothing will be done.',
        example: {
          jobId: '17',
          kind: 'disbursement',
          reference: 'order-1042',
          problems: [{ pointer: '/amount', message: 'is required' }],
        },
      },
    },
    data: z.looseObject(rejectionFields),
  },
} as const satisfies { readonly prefix: string; readonly events: EventsOf };
