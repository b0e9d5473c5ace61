/** SMS to a number in the statistics of the provider. relais decides nothing by them and stores nothing. */
import { NAME_MOST } from '../kinds/fields.ts';
import { askedTime, soughtText } from '../kinds/request-pieces.ts';
import { digitsOf } from '../lib/phone.ts';
import { serviceDate } from '../processors/sms/period.ts';
import type { Statistics } from '../provider/messaging/messaging.ts';
import { phonesOf } from './finding.ts';
import { smsStatistics } from './openapi/answers-texts.ts';
import { askProvider } from './provider-question.ts';
import { accountQuery, answer, route } from './route.ts';

const time = (description: string) =>
  askedTime
    .transform((text) => serviceDate(Date.parse(text)))
    .optional()
    .meta({ description });

const readStatistics = route(
  {
    method: 'get',
    path: '/v1/sms-statistics',
    id: 'readSmsStatistics',
    tag: 'Messages',
    cli: {
      name: 'messages statistics',
      example: "--phone '77 123 45 67'",
      columns: ['phone', 'outcome', 'code', 'text'],
      none: 'The provider lists no SMS to this number in this period.',
    },
    summary: 'List SMS that the provider says were sent',
    description:
      'Read from the provider now, and no proof: statistics can lag, and an entry has no time. In `text`, each word of ' +
      'four or more characters with a digit is masked, because it can be a one-time password.',
    role: 'read',
    scope: 'none',
    query: {
      phone: soughtText(NAME_MOST).meta({
        description: 'The phone number, in any spelling.',
        example: '+221771234567',
      }),
      from: time('Sent at this time or later. The provider names no time zone; relais sends UTC.'),
      to: time('Sent at this time or before.'),
      account: accountQuery,
    },
    answers: { 200: answer('What the provider says.', smsStatistics) },
    problems: ['not-found', 'upstream-refused', 'upstream-silent'],
  },
  async (asked) => {
    const { context, query } = asked;
    const { account, from: startDate, to: endDate } = query;
    const numbers = phonesOf(query.phone, context.defaultCountry);
    const { messaging } = context.processing.upstream;
    const told = await askProvider(asked, {
      account,
      area: 'messaging',
      ask: (keys) => messaging.statistics(keys, { numbers, startDate, endDate }),
    });
    return { account, startDate: startDate ?? null, endDate: endDate ?? null, ...toldOf(numbers, told) };
  },
);

function toldOf(numbers: readonly string[], { sent, unclear, invalid }: Statistics) {
  const isInvalid = (phone: string): boolean => invalid.includes(digitsOf(phone));
  const clear = numbers.flatMap((phone) =>
    (sent.get(digitsOf(phone)) ?? []).map(({ code, content }) => ({
      phone,
      outcome: 'sent' as const,
      code,
      text: masked(content),
    })),
  );
  const others = numbers.flatMap((phone) =>
    (unclear?.get(digitsOf(phone)) ?? []).map((content) => ({
      phone,
      outcome: 'unclear' as const,
      code: null,
      text: masked(content),
    })),
  );
  return {
    items: [...clear, ...others],
    invalid: numbers.filter(isInvalid),
    notNamed: numbers.filter((phone) => !sent.has(digitsOf(phone)) && !isInvalid(phone)),
  };
}

const WORD_WITH_DIGIT = /(?=[\p{L}\p{N}_-]*\p{N})[\p{L}\p{N}_-]{4,}/gu;

/** Keys that read are not shown SMS: a code in an SMS opens the account of its recipient. */
const masked = (text: string): string => text.replace(WORD_WITH_DIGIT, '••••');

export const smsStatisticsRoutes = [readStatistics];
