/** Whether the service accepts our keys. Nothing is sent, nothing is paid: a login and a question about the balance. */
import { accountFingerprint } from '../../accounts.ts';
import { type Clock, describeMs } from '../../lib/clock.ts';
import { describeXof } from '../../lib/money.ts';
import { messagingKeys, paymentKeys, type Area } from '../../upstream/account.ts';
import type { Upstream, UpstreamAccount } from '../../upstream/client.ts';
import { type Failure, failures, type NotOk } from '../../upstream/verdict.ts';
import type { Balances } from '../../upstream/payments/types.ts';
import { type CheckName, type Finding, fault, ok, skipped, inTime } from './finding.ts';

/** Longer than any one exchange; an SMS login may be tried in several encodings. */
const PATIENCE_MS = 30_000;

/** The keys of an area, as they are called in the environment and in ACCOUNTS_FILE. */
const KEYS = {
  payments: { SERVICE_MASTER_KEY: 'masterKey', SERVICE_PRIVATE_KEY: 'privateKey', SERVICE_TOKEN: 'token' },
  messaging: {
    SMS_USER_KEY: 'smsUserKey',
    SMS_SECRET_KEY: 'smsSecretKey',
    SMS_APP_KEY: 'smsAppKey',
    SMS_SENDER: 'smsSender',
  },
} as const satisfies Record<Area, Readonly<Record<string, keyof UpstreamAccount>>>;

const USES = { payments: 'move money', messaging: 'send texts' } as const satisfies Record<Area, string>;

/**
 * An area of which no key is given is one that is not used; an account without any is a fault, but for `main` where a
 * file names others.
 */
export function examineKeys(account: UpstreamAccount, { alone }: { readonly alone: boolean }): readonly Finding[] {
  const areas = ['payments', 'messaging'] as const;
  const used = areas.filter((area) => fieldsOf(area).some((field) => isGiven(account, field)));
  if (used.length === 0 && account.name === 'main' && !alone)
    return [skipped('keys', 'main: has no keys, so only the accounts of ACCOUNTS_FILE are used')];
  if (used.length === 0) {
    return [fault('keys', `${account.name}: has no keys at all`, `Set ${namesOf(account, areas, fieldsOf)}.`)];
  }
  return areas.map((area) => {
    if (!used.includes(area)) return skipped('keys', `${account.name}: no ${area} keys, so it cannot ${USES[area]}`);
    const missing = (of: Area) => fieldsOf(of).filter((field) => !isGiven(account, field));
    if (missing(area).length === 0) {
      const which = area === 'payments' ? ` (fingerprint ${accountFingerprint(account)})` : '';
      return ok('keys', `${account.name}: all ${area} keys are there${which}`);
    }
    return fault(
      'keys',
      `${account.name}: some ${area} keys are missing, so it cannot ${USES[area]}`,
      `Set ${namesOf(account, [area], missing)}.`,
    );
  });
}

type Field = keyof UpstreamAccount;

function fieldsOf(area: Area): Field[] {
  return Object.values(KEYS[area]);
}

function isGiven(account: UpstreamAccount, field: Field): boolean {
  return account[field] !== undefined && account[field] !== '';
}

function namesOf(
  { name }: UpstreamAccount,
  areas: readonly Area[],
  fields: (area: Area) => readonly Field[],
): string {
  const names = areas.flatMap((area) => {
    const wanted = fields(area);
    const rows = Object.entries(KEYS[area]).filter(([, field]) => wanted.includes(field));
    return rows.map(([setting, field]) => (name === 'main' ? setting : field));
  });
  return `${names.join(', ')}${name === 'main' ? '' : ` of ${name} in ACCOUNTS_FILE`}`;
}

interface ServiceTools {
  readonly upstream: Upstream;
  readonly clock: Clock;
}

/** A login that is shared by all processes, so one that is still good is used. */
export async function examineLogin(account: UpstreamAccount, { upstream, clock }: ServiceTools): Promise<Finding> {
  if (typeof messagingKeys(account) === 'string') return skipped('sms login', `${account.name}: keys are missing`);
  const verdict = await inTime(clock, PATIENCE_MS, () => upstream.messaging.prepare(account));
  if (verdict === undefined) return tooSlow('sms login', account, 'SERVICE_CRM_URL');
  if (verdict.is !== 'ok') return refusedBy('sms login', account, verdict);
  return ok('sms login', `${account.name}: logged in, for another ${describeMs(verdict.value.usableForMs)}`);
}

export async function examineBalance(account: UpstreamAccount, { upstream, clock }: ServiceTools): Promise<Finding> {
  if (typeof paymentKeys(account) === 'string') return skipped('balance', `${account.name}: keys are missing`);
  const verdict = await inTime(clock, PATIENCE_MS, () => upstream.payments.balances(account));
  if (verdict === undefined) return tooSlow('balance', account, 'SERVICE_BASE_URL');
  if (verdict.is !== 'ok') return refusedBy('balance', account, verdict);
  return ok('balance', `${account.name}: ${describeBalances(verdict.value)}`);
}

function describeBalances({ balances }: Balances): string {
  const rows = Object.entries(balances).map(([country, amount]) => {
    return `${country} ${amount === null ? 'unreadable' : describeXof(amount)}`;
  });
  return rows.length === 0 ? 'the keys are accepted; no balance is told' : `about ${rows.join(', ')}`;
}

function tooSlow(check: CheckName, { name }: UpstreamAccount, setting: string): Finding {
  return fault(check, `${name}: no answer inTime ${describeMs(PATIENCE_MS)}`, `Is ${setting} right, and reachable?`);
}

/** The keys that go with the request. */
const ASKED_WITH = {
  'sms login': ['smsUserKey', 'smsSecretKey'],
  balance: ['masterKey', 'privateKey', 'token'],
} as const satisfies Record<string, readonly Field[]>;
const ADDRESSES = { 'sms login': 'SERVICE_CRM_URL', balance: 'SERVICE_BASE_URL' } as const;

function refusedBy(check: 'sms login' | 'balance', account: UpstreamAccount, { code, exchange }: NotOk): Finding {
  if (code === 'live_only') return skipped(check, `${account.name}: in test mode there is no path for it`);
  const failure = (failures as Readonly<Record<string, Failure>>)[code];
  const status = exchange.httpStatus === undefined ? '' : `, HTTP ${exchange.httpStatus}`;
  const said = exchange.message === undefined ? '' : `: ${exchange.message}`;
  const sentence = failure?.sentence ?? 'It was refused.';
  const says = `${account.name}: ${sentence} (${exchange.upstreamCode ?? code}${status}${said})`;
  // A wrong key and a wrong address look alike in places, so both are shown.
  const area = check === 'balance' ? 'payments' : 'messaging';
  const ours = failure?.blame === 'us' && exchange.sent === 'answered';
  const names = ours
    ? `${namesOf(account, [area], () => ASKED_WITH[check])}, and ${ADDRESSES[check]}`
    : ADDRESSES[check];
  return fault(check, says, ours ? `Check ${names}.` : `Is ${names} right, and reachable from here? Else try again.`);
}
