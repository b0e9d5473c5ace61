/** Acceptance for every entry point of this process. */
import { message } from '../messages/message.ts';
import { CollectAcceptance } from '../producer/acceptance-collect.ts';
import { acceptanceInLedger } from '../producer/acceptance-store.ts';
import { Acceptance } from '../producer/acceptance.ts';
import { BatchDoor } from '../producer/batch/door.ts';
import { trialNumbersOf } from '../producer/trial-numbers.ts';
import { messagingKeys } from '../provider/account.ts';
import type { AccountBook } from '../accounts.ts';
import type { Container } from './container.ts';

export function acceptanceOf(container: Container): Acceptance {
  const { random, config, wake, book, fingerprints } = container;
  return new Acceptance({
    store: acceptanceInLedger(container),
    random,
    wake,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    fingerprints,
    extraWithdrawModes: config.EXTRA_WITHDRAW_MODES,
    trial: trialNumbersOf(config.TRIAL_NUMBERS?.items),
    smsAccounts: smsAccountsIn(book),
  });
}

/** The accounts that have their keys of the messaging area. */
export function smsAccountsIn(book: AccountBook): ReadonlySet<string> {
  return new Set([...book].flatMap(([name, account]) => (typeof messagingKeys(account) === 'string' ? [] : [name])));
}

export function batchDoorOf({ batches, limits, config, book, clock }: Container): BatchDoor {
  return new BatchDoor({
    batches,
    limits,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    extraWithdrawModes: config.EXTRA_WITHDRAW_MODES,
    trial: trialNumbersOf(config.TRIAL_NUMBERS?.items),
    smsAccounts: smsAccountsIn(book),
    now: () => clock.now(),
  });
}

export function collectAcceptanceOf(container: Container, nobodyWaits = false): CollectAcceptance {
  const { config, wake, book, fingerprints } = container;
  return new CollectAcceptance({
    store: acceptanceInLedger(container),
    wake,
    fingerprints,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    directCredit: config.DIRECT_CREDIT === 'on',
    trial: trialNumbersOf(config.TRIAL_NUMBERS?.items),
    nobodyWaits,
  });
}

/** Why nothing can be accepted now; undefined: requests are accepted. */
export function refusalOf({ life }: Pick<Container, 'life'>) {
  return life.recovering() ? { kind: 'recovering' as const, detail: message('in_recovery') } : undefined;
}
