/** Direct account credit: one step, no reference, no status to ask for (interface: Direct credit). */
import { z } from 'zod';
import { ok, refuse } from './answers.ts';
import { understood } from './understood.ts';
import { type Handler } from './world.ts';

const body = z.strictObject({ account_alias: z.string().min(1), amount: z.number().positive() });

export const creditAccount: Handler = (ask, world) => {
  const parsed = understood(body, ask, world);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    world.books.breach(ask.operation, `${first?.path.join('.') || 'body'}: ${first?.message ?? 'not valid'}`);
    // Error codes of this operation are not documented; these are borrowed from the disbursements.
    return refuse('1001', 'Data not valid', 400);
  }
  const { directCreditEnabled, balances } = world.settings.values;
  const { account_alias: accountAlias, amount } = parsed.data;
  if (!directCreditEnabled) return refuse('401', 'Direct credit is not enabled for this application');
  if (amount > (balances.SN ?? 0)) return refuse('4002', 'Insufficient funds');

  const transactionId = `TFA-TX-${world.random.hex(5).toUpperCase()}`;
  if (ask.endpoint.mode === 'live') world.settings.book('SN', -amount);
  world.books.directCredits.push({ transactionId, accountAlias, amount, mode: ask.endpoint.mode });
  return ok({
    response_code: '00',
    response_text: 'Transaction completed successfully',
    description: `${amount} XOF credited to ${accountAlias}`,
    transaction_id: transactionId,
  });
};
