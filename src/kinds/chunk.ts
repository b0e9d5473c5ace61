/**
 * Up to 50 recipients sent in one request: the unit of doubt. Callers see recipients and messages, never chunks.
 *
 * Arrows that look wrong and are not:
 *   refused → queued   one recipient spoilt it for all, so the others go out in smaller requests;
 *   unknown → queued   others in it wait for their turn, or `onUnknown: resend` was asked for;
 *   queued → unknown   in a Redis that was put back: it may have been sent since, so the statistics are asked.
 */
import { blank, count, flag, maybeText, maybeTime, text } from './fields.ts';
import { kind } from './kind.ts';

export const chunk = kind({
  prefix: 'chk',
  area: 'messaging',
  states: {
    queued: {
      says: 'It waits for its turn; nothing was sent.',
      queue: { normal: 'sms-batch', otp: 'sms-otp' },
      to: ['sending', 'unknown', 'settled'],
    },
    sending: {
      says: 'It is being sent at this moment, or was when a worker died.',
      queue: 'status-poll',
      to: ['queued', 'refused', 'unknown', 'settled'],
      is: ['in doubt'],
    },
    refused: {
      says: 'The service refused it, as it seems for one of its recipients; that one is looked for, and the others are sent again.',
      queue: 'status-poll',
      to: ['queued', 'unknown', 'settled'],
    },
    unknown: {
      says: 'It may or may not have been sent; the statistics of the service are asked.',
      queue: 'status-poll',
      to: ['queued', 'settled'],
      is: ['in doubt'],
    },
    settled: { says: 'It is over.', retried: ['queued'] },
  },
  fields: {
    /** '' for a chunk of single messages. */
    campaign: blank,
    lane: text,
    /** How many recipients. */
    count,
    /** Packed, as are outcome (one letter a recipient; '' until something is known) and codes. */
    items: text,
    outcome: blank,
    codes: blank,
    sentAt: maybeTime,
    /** When the first request left: what statistics know may be as old. */
    firstSentAt: maybeTime,
    looks: count,
    /** The parts it goes out in since it was refused as a whole. */
    plan: blank,
    /** The code that it was refused with, while that is being looked into. */
    refusedAs: maybeText,
    /** How often recipients in doubt were sent to again (`onUnknown: resend`), and which of them, packed. */
    resends: count,
    again: blank,
    /** Which retry of its campaign has opened it again for those that had failed; 0: none. */
    retry: count,
    /** It stood in a copy of Redis that was put back: nobody in it is sent to again, whatever was asked for. */
    restored: flag,
    /** Countries of the recipients, packed; '' where nobody knows. */
    countries: blank,
  },
});
