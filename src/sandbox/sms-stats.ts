/** Sent-SMS statistics by recipient and period (interface: SMS statistics). */
import { z } from 'zod';
import { ok } from './answers.ts';
import { readPeriodEnd } from './dates.ts';
import { messageOutcomeOf } from './magic.ts';
import type { BookedMessage } from './message-book.ts';
import { type SmsCode, smsRefusal } from './sms-codes.ts';
import { refuseBearer } from './sms-login.ts';
import { checkWrap, isInternational } from './sms-send.ts';
import { type Handler, readJson, type World } from './world.ts';

const filters = z.strictObject({
  receiver_address: z.array(z.strictObject({ value: z.string() })),
  start_date: z.string().optional(),
  end_date: z.string().optional(),
});

const wrapped = z.strictObject({ sms_sent: z.object({ filters }) });

interface Period {
  readonly from: number;
  readonly to: number;
}

export const smsStatistics: Handler = (ask, world) => {
  const refuseBreach = (code: SmsCode, why: string) => {
    world.books.breach(ask.operation, why);
    return smsRefusal(code, world);
  };
  const refusal = refuseBearer(ask, world);
  if (refusal !== undefined) return refusal;
  const body = readJson(ask, world);
  const verdict = checkWrap((body as { sms_sent?: unknown } | undefined)?.sms_sent, 3, world);
  if (verdict !== undefined) return refuseBreach(verdict.code, verdict.why);
  const parsed = wrapped.safeParse(body);
  if (!parsed.success) return refuseBreach('ERROR_105', parsed.error.issues[0]?.message ?? 'filters');
  const { receiver_address: asked, start_date = '', end_date = '' } = parsed.data.sms_sent.filters;
  if (asked.length === 0) return refuseBreach('ERROR_109', 'receiver_address is empty');
  const { statsZoneMinutes } = world.settings.values;
  const from = start_date === '' ? 0 : readPeriodEnd(start_date, statsZoneMinutes);
  if (from === undefined) return refuseBreach('ERROR_114', 'start_date is not YYYY-MM-DD HH:MM:SS');
  const to = end_date === '' ? Number.POSITIVE_INFINITY : readPeriodEnd(end_date, statsZoneMinutes);
  if (to === undefined) return refuseBreach('ERROR_115', 'end_date is not YYYY-MM-DD HH:MM:SS');
  // The last second of a period belongs to it.
  return report(asked, { from, to: to + 999 }, world);
};

function report(asked: ReadonlyArray<{ value: string }>, period: Period, world: World) {
  const valid: object[] = [];
  const invalid: object[] = [];
  for (const { value } of asked) {
    const outcome = messageOutcomeOf(value);
    if (!isInternational(value) || outcome === 'invalid in statistics') invalid.push({ value });
    else valid.push({ [value]: outcome === 'never in statistics' ? [] : sentTo(value, period, world) });
  }
  return ok({
    code: '00',
    message: 'success',
    description: 'request processed successfully',
    data: { ...(invalid.length > 0 ? { invalid_number: invalid } : {}), valid_number: valid },
  });
}

function sentTo(number: string, { from, to }: Period, { books, settings, time }: World): object[] {
  const visibleUntil = Math.min(to, time.now() - settings.values.statsLagMs);
  const shown = (at: number): boolean => at >= from && at <= visibleUntil;
  return [...books.messages.to(number)].flatMap((message) =>
    Array.from({ length: timesShown(message, shown) }, () => ({ code: message.code, content: message.text })),
  );
}

/** The book knows the first and the last time of a text; those between count as long as the first one shows. */
function timesShown({ times, firstAt, lastAt }: BookedMessage, shown: (at: number) => boolean): number {
  if (times === 0) return 0;
  if (shown(firstAt) && shown(lastAt)) return times;
  if (shown(firstAt)) return Math.max(1, times - 1);
  return shown(lastAt) ? 1 : 0;
}
