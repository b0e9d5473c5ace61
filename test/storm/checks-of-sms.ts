/**
 * S1 and S3–S7: properties of SMS after a storm. S2 applies only to a policy that resends SMS in doubt, which no
 * storm uses.
 */
import type { Check } from './checks.ts';
import { groupBy, pairsOf, sumOf } from './grouping.ts';
import type { BookedSms, SeenCampaign, SeenSend, Story } from './story.ts';

const PER_REQUEST = 50;
const NOBODY_GOT = new Set(['failed', 'skipped', 'expired', 'cancelled', 'queued']);
/** Answers given before any work: only after these may a request be repeated. */
const NOTHING_WAS_SENT = new Set(['429', 'ERROR_121', 'ERROR_122', 'ERROR_123', 'ERROR_124']);

function timesOf({ messages }: Story): (campaign: SeenCampaign, to: string) => number {
  const byNumber = groupBy(messages, ({ to }) => to.replace('+', ''));
  return (campaign, to) =>
    sumOf(
      (byNumber.get(to.replace('+', '')) ?? []).filter(({ text }: BookedSms) => text.startsWith(campaign.text)),
      ({ times }) => times,
    );
}

/** A sentence for every recipient whose state contradicts the records. */
function perRecipient(story: Story, wrong: (state: string, times: number) => string | undefined): string[] {
  const times = timesOf(story);
  return story.campaigns.flatMap((campaign) =>
    campaign.recipients.flatMap(({ to, row, state }) => {
      const what = wrong(state, times(campaign, to));
      return what === undefined ? [] : [`row ${row} of ${campaign.id} ${what}`];
    }),
  );
}

const neverSentTwice: Check = {
  name: 'S1',
  says: 'nobody got a text twice',
  broken: ({ messages }) =>
    messages.filter(({ times }) => times > 1).map(({ times, text }) => `"${text}" went out ${times} times`),
};

const inOneBin: Check = {
  name: 'S3',
  says: 'every recipient is in one bin, and the bins sum to the upload',
  broken: ({ campaigns }) => campaigns.flatMap(wrongBins),
};

function wrongBins({ id, totals, uploaded, recipients }: SeenCampaign): string[] {
  const { total = 0, ...bins } = totals;
  const sum = sumOf(Object.values(bins), (count) => count);
  const rows = new Set(recipients.map(({ row }) => row));
  const listed = groupBy(recipients, ({ state }) => state);
  const differ = Object.entries(bins).filter(([bin, count]) => (listed.get(bin)?.length ?? 0) !== count);
  return [
    ...(total === uploaded ? [] : [`${id}: ${uploaded} rows were uploaded, total says ${total}`]),
    ...(sum === total ? [] : [`${id}: the bins sum to ${sum}, total says ${total}`]),
    ...(rows.size === recipients.length && rows.size === uploaded
      ? []
      : [`${id}: ${recipients.length} recipients are listed in ${rows.size} rows`]),
    ...differ.map(
      ([bin, count]) => `${id}: ${count} are counted as ${bin}, ${listed.get(bin)?.length ?? 0} are listed`,
    ),
  ];
}

const sentWasSent: Check = {
  name: 'S4',
  says: 'a person reported as sent got the text, and one reported as not sent did not',
  broken: (story) =>
    perRecipient(story, (state, times) => {
      if (state === 'sent' && times === 0) return 'is sent and got nothing';
      // A duplicate number is skipped the second time; its first row counts.
      if (NOBODY_GOT.has(state) && state !== 'skipped' && times > 0) return `is ${state} and got the text`;
      return undefined;
    }),
};

const smallRequests: Check = {
  name: 'S5',
  says: 'no request carried more than fifty texts, or one number twice',
  broken: ({ sends }) =>
    sends.flatMap(({ items }) => {
      const numbers = new Set(items.map(({ to }) => to));
      return [
        ...(items.length <= PER_REQUEST ? [] : [`a request carried ${items.length} texts`]),
        ...(numbers.size === items.length ? [] : ['a request carried a number twice']),
      ];
    }),
};

const nothingAfterCancel: Check = {
  name: 'S6',
  says: 'after a campaign was cancelled nothing of it was sent, but for what was being sent',
  broken: ({ campaigns, sends, rules }) =>
    campaigns.flatMap(({ id, text, cancelledAt }) => {
      if (cancelledAt === undefined) return [];
      const late = sends.filter(
        ({ at, items }) => at > cancelledAt + rules.sendWithinMs && items.some((item) => item.text.startsWith(text)),
      );
      return late.map(({ at }) => `${id} was still sent ${Math.round(at - cancelledAt)} ms after it was cancelled`);
    }),
};

const postedOnce: Check = {
  name: 'S7',
  says: 'a request was posted again only after an answer that says nothing was sent',
  broken: ({ sends }) =>
    [...groupBy(sends, requestOf)].flatMap(([, posts]) =>
      pairsOf(posts)
        .filter(([first]) => !NOTHING_WAS_SENT.has(first.answer ?? ''))
        .map(([first]) => `a request was posted again after ${first.answer ?? 'no answer'}`),
    ),
};

const requestOf = ({ items }: SeenSend): string => items.map(({ to, text }) => `${to} ${text}`).join('\n');

export const smsChecks: readonly Check[] = [
  neverSentTwice,
  inOneBin,
  sentWasSent,
  smallRequests,
  nothingAfterCancel,
  postedOnce,
];
