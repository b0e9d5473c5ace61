/** N1 to N3: the SMS to payees about their payments, read from the books of the service. */
import type { Check } from './checks.ts';
import { effectsById } from './checks-of-payments.ts';
import { groupBy, sumOf } from './grouping.ts';
import { type SeenRecord, type Story, toldText } from './story.ts';

const TOLD = ['succeeded', 'failed'] as const;
type Told = (typeof TOLD)[number];

/** How often the payee of a payment got the SMS about a state. */
function timesTold({ messages }: Pick<Story, 'messages'>): (record: SeenRecord, state: Told) => number {
  const byText = groupBy(messages, ({ text }) => text);
  return ({ reference }, state) => sumOf(byText.get(toldText(state, reference ?? '')) ?? [], ({ times }) => times);
}

const toldOnce: Check = {
  name: 'N1',
  says: 'no payee was told the same of a payment twice',
  broken: (story) => {
    const times = timesTold(story);
    return story.records.flatMap((record) =>
      TOLD.filter((state) => times(record, state) > 1).map(
        (state) => `the payee of ${record.id} was told ${times(record, state)} times that it ${state}`,
      ),
    );
  },
};

const toldTheTruth: Check = {
  name: 'N2',
  says: 'no payee was told of a payment that was not made, or of a failure that relais never reported',
  broken: (story) => {
    const [times, effects] = [timesTold(story), effectsById(story)];
    const failed = new Set(
      story.events.filter(({ type }) => type === 'disbursement.failed').map(({ data }) => data.id),
    );
    return story.records.flatMap((record) => [
      ...(times(record, 'succeeded') > 0 && effects(record.disburseId) === 0
        ? [`the payee of ${record.id} was told of a payment that was not made`]
        : []),
      ...(times(record, 'failed') > 0 && !failed.has(record.id) && story.restores.length === 0
        ? [`the payee of ${record.id} was told of a failure that nobody reported`]
        : []),
    ]);
  },
};

/** The end of an undelivered message. */
const WITHOUT_SMS = new Set(['unknown', 'failed', 'expired']);

const toldOrInDoubt: Check = {
  name: 'N3',
  says: 'a payment whose payee got no SMS has a message that is unknown, failed or expired',
  broken: (story) => {
    const times = timesTold(story);
    return story.records.flatMap((record) => {
      const { id, state, notify } = record;
      const told = TOLD.find((one) => one === state);
      if (notify === undefined || told === undefined || times(record, told) > 0) return [];
      const message = notify.messages?.find(({ on }) => on === told);
      if (message === undefined) return [`${id} is ${state}, and there is no message about it`];
      return WITHOUT_SMS.has(message.state) ? [] : [`${message.id} of ${id} is ${message.state}, and nobody got it`];
    });
  },
};

export const notifyChecks: readonly Check[] = [toldOnce, toldTheTruth, toldOrInDoubt];
