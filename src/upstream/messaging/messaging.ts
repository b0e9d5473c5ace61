import { messagingKeys } from '../account.ts';
import { unasked } from '../exchange.ts';
import type { MessagingContext } from './authorised.ts';
import { createSend } from './send.ts';
import { createStatistics } from './statistics.ts';
import type { Messaging } from './types.ts';

/** interface: Messaging area. */
export function createMessaging(context: MessagingContext): Messaging {
  return {
    prepare: async (account) => {
      const keys = messagingKeys(account);
      if (typeof keys === 'string') return unasked(account, 'sms_login', keys);
      const bearer = await context.tokens.bearer(account, keys);
      return bearer.is === 'ok' ? { ...bearer, value: { usableForMs: bearer.value.usableForMs } } : bearer;
    },
    send: createSend(context),
    statistics: createStatistics(context),
  };
}
