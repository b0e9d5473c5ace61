/** Whether the provider accepts our keys. Nothing is sent or paid: one login and one balance request. */
import { Agent } from 'undici';
import { accountFingerprint } from '../../accounts.ts';
import type { Role } from '../../cli/io.ts';
import { type Config, WrongSettings, describeSettings, loadConfig, missingBesideKeys } from '../../config.ts';
import { type Clock, describeMs } from '../../lib/clock.ts';
import { describeXof } from '../../lib/money.ts';
import { messagingKeys, paymentKeys, type Area } from '../../provider/account.ts';
import type { Upstream, UpstreamAccount } from '../../provider/client.ts';
import type { Balances } from '../../provider/payments/ask.ts';
import { failureOf, type NotOk } from '../../provider/verdict.ts';
import { callbackPath } from '../../webhooks/receiver.ts';
import { publicUrlOf } from '../processor-context.ts';
import { callbackSecrets } from '../secrets.ts';
import { type CheckName, type Finding, fault, ok, skipped, inTime } from './finding.ts';
import { type Message, message } from '../../messages/message.ts';

/** Longer than any one exchange; an SMS login may try several encodings. */
const PATIENCE_MS = 30_000;

/** The names of an area's keys in the environment and in ACCOUNTS_FILE. */
const KEYS = {
  payments: { SERVICE_MASTER_KEY: 'masterKey', SERVICE_PRIVATE_KEY: 'privateKey', SERVICE_TOKEN: 'token' },
  messaging: {
    SMS_USER_KEY: 'smsUserKey',
    SMS_SECRET_KEY: 'smsSecretKey',
    SMS_APP_KEY: 'smsAppKey',
    SMS_SENDER: 'smsSender',
  },
} as const satisfies Record<Area, Readonly<Record<string, keyof UpstreamAccount>>>;

const NONE_OF = {
  payments: 'no_payment_keys',
  messaging: 'no_messaging_keys',
} as const satisfies Record<Area, string>;
const SOME_OF = {
  payments: 'some_payment_keys_missing',
  messaging: 'some_messaging_keys_missing',
} as const satisfies Record<Area, string>;

/** An area without keys is unused. An account without any area is a fault, except `main` if a file names others. */
export function examineKeys(account: UpstreamAccount, { alone }: { readonly alone: boolean }): readonly Finding[] {
  const areas = ['payments', 'messaging'] as const;
  const used = areas.filter((area) => fieldsOf(area).some((field) => isGiven(account, field)));
  if (used.length === 0 && account.name === 'main' && !alone) return [skipped('keys', message('main_without_keys'))];
  if (used.length === 0) {
    return [
      fault('keys', message('account_without_keys', { account: account.name }), toBeSet(account, areas, fieldsOf)),
    ];
  }
  return areas.map((area) => {
    if (!used.includes(area)) return skipped('keys', message(NONE_OF[area], { account: account.name }));
    const missing = (of: Area) => fieldsOf(of).filter((field) => !isGiven(account, field));
    if (missing(area).length === 0) {
      const values = { account: account.name, fingerprint: accountFingerprint(account) };
      return area === 'payments'
        ? ok('keys', message('payment_keys_set', values))
        : ok('keys', message('messaging_keys_set', values));
    }
    return fault('keys', message(SOME_OF[area], { account: account.name }), toBeSet(account, [area], missing));
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

function toBeSet(...of: Parameters<typeof namesOf>): Message {
  return message('set_names', { names: namesOf(...of) });
}

interface ServiceTools {
  readonly upstream: Upstream;
  readonly clock: Clock;
}

/** All processes share a login, so a valid one is reused. */
export async function examineLogin(account: UpstreamAccount, { upstream, clock }: ServiceTools): Promise<Finding> {
  if (typeof messagingKeys(account) === 'string')
    return skipped('sms login', message('keys_missing', { account: account.name }));
  const verdict = await inTime(clock, PATIENCE_MS, () => upstream.messaging.prepare(account));
  if (verdict === undefined) return tooSlow('sms login', account, 'SERVICE_CRM_URL');
  if (verdict.is !== 'ok') return refusedBy('sms login', account, verdict);
  return ok(
    'sms login',
    message('logged_in', {
      account: account.name,
      span: describeMs(verdict.value.usableForMs),
    }),
  );
}

export async function examineBalance(account: UpstreamAccount, { upstream, clock }: ServiceTools): Promise<Finding> {
  if (typeof paymentKeys(account) === 'string')
    return skipped('balance', message('keys_missing', { account: account.name }));
  const verdict = await inTime(clock, PATIENCE_MS, () => upstream.payments.balances(account));
  if (verdict === undefined) return tooSlow('balance', account, 'SERVICE_BASE_URL');
  if (verdict.is !== 'ok') return refusedBy('balance', account, verdict);
  return ok('balance', toldBalances(account.name, verdict.value));
}

function toldBalances(account: string, { balances }: Balances): Message {
  const rows = Object.entries(balances).map(([country, amount]) => {
    return `${country} ${amount === null ? '?' : describeXof(amount)}`;
  });
  return rows.length === 0
    ? message('no_balance', { account })
    : message('balance_about', { account, sums: rows.join(', ') });
}

function tooSlow(check: CheckName, { name }: UpstreamAccount, address: string): Finding {
  const says = message('no_answer_within', { account: name, span: describeMs(PATIENCE_MS) });
  return fault(check, says, message('right_and_reachable', { names: address }));
}

/** The keys sent with the request. */
const ASKED_WITH = {
  'sms login': ['smsUserKey', 'smsSecretKey'],
  balance: ['masterKey', 'privateKey', 'token'],
} as const satisfies Record<string, readonly Field[]>;
const ADDRESSES = { 'sms login': 'SERVICE_CRM_URL', balance: 'SERVICE_BASE_URL' } as const;

function refusedBy(check: 'sms login' | 'balance', account: UpstreamAccount, { code, exchange }: NotOk): Finding {
  if (code === 'live_only') return skipped(check, message('no_path_in_test', { account: account.name }));
  const failure = failureOf(code);
  const status = exchange.httpStatus === undefined ? '' : `, HTTP ${exchange.httpStatus}`;
  const words = exchange.message === undefined ? '' : `: ${exchange.message}`;
  const sentence = failure?.says ?? message('failure_other');
  const says = message('account_failure', {
    account: account.name,
    sentence,
    answer: `${exchange.upstreamCode ?? code}${status}${words}`,
  });
  // A wrong key and a wrong address can look alike, so both are shown.
  const area = check === 'balance' ? 'payments' : 'messaging';
  const ours = failure?.blame === 'us' && exchange.sent === 'answered';
  const names = ours
    ? `${namesOf(account, [area], () => ASKED_WITH[check])}, and ${ADDRESSES[check]}`
    : ADDRESSES[check];
  return fault(
    check,
    says,
    ours ? message('check_names', { names }) : message('right_and_reachable_here', { names }),
  );
}

/**
 * Whether our callback addresses answer the provider: a signed address with 200, an unsigned one with 404. A proxy
 * that answers 200 to everything would otherwise hide that relais is not reachable.
 */

const CALLBACK_WITHIN_MS = 10_000;
/** No operation has this id; the request changes nothing. */
const PROBED = { account: 'main', kind: 'disbursement', id: 'dsb_doctor' } as const;

export async function examineCallbacks(config: Config, clock: Clock): Promise<Finding> {
  const url = publicUrlOf(config, {});
  if (url === undefined) {
    if (config.SERVICE_BASE_URL === undefined) return skipped('callbacks', message('no_service_address'));
    const says = config.WEBHOOKS_PORT === 0 ? message('no_public_url_known') : message('no_public_url');
    return fault('callbacks', says, message('set_public_url'));
  }
  const secrets = callbackSecrets(config);
  if (secrets.length === 0) return skipped('callbacks', message('no_callback_secret'));
  const path = callbackPath(secrets, PROBED);
  const [signed, unsigned] = [await probe(url + path, clock), await probe(`${url}${path.slice(0, -1)}`, clock)];
  return judge(url, signed, unsigned);
}

function judge(url: string, signed: number | string, unsigned: number | string): Finding {
  if (typeof signed === 'string') {
    return fault('callbacks', message('url_silent', { url, why: signed }), message('start_webhooks'));
  }
  if (signed === 200 && unsigned === 404) return ok('callbacks', message('url_signed_only', { url }));
  if (signed === 200) {
    const says = message('url_answers_unsigned', {
      url,
      unsigned,
    });
    return fault('callbacks', says, message('route_public_url'));
  }
  return fault('callbacks', message('url_refuses_signed', { url, signed }), message('same_callback_secret'));
}

/** The status, or the error without one. */
async function probe(address: string, clock: Clock): Promise<number | string> {
  const agent = new Agent({
    connect: { timeout: CALLBACK_WITHIN_MS },
    headersTimeout: CALLBACK_WITHIN_MS,
    bodyTimeout: CALLBACK_WITHIN_MS,
  });
  const { origin, pathname } = new URL(address);
  try {
    const asked = async (): Promise<number> => {
      const { statusCode, body } = await agent.request({ origin, path: pathname, method: 'GET' });
      await body.dump();
      return statusCode;
    };
    return (await inTime(clock, CALLBACK_WITHIN_MS, asked)) ?? 'no answer in time';
  } catch (error) {
    return describe(error);
  } finally {
    await agent.destroy();
  }
}

function describe(error: unknown): string {
  // A host with several addresses fails with one error for all.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  return 'code' in first && typeof first.code === 'string' ? first.code : first.message;
}

interface Settings {
  readonly findings: readonly Finding[];
  /** Absent if a setting, or a file named by one, is unreadable. A missing setting stops no other check. */
  readonly config?: Config;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All settings that would stop a process with these roles, together. Provider keys are checked per account. */
export function examineSettings(env: Environment, roles: readonly Role[]): Settings {
  const problems: Message[] = [];
  const config = tried(env, roles, problems);
  const faults = problems.map((problem) => fault('settings', problem, message('fix_and_restart')));
  const none = fault('settings', message('no_settings'), message('run_with_settings'));
  return {
    findings:
      faults.length > 0
        ? [...(countSet(env) === 0 ? [none] : []), ...faults]
        : [ok('settings', message('settings_read', { count: countSet(env) }))],
    ...(config ? { config } : {}),
  };
}

function tried(env: Environment, roles: readonly Role[], problems: Message[]): Config | undefined {
  try {
    return loadConfig(env, (given) => {
      problems.push(...missingBesideKeys(given, roles));
      return [];
    });
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

function countSet(env: Environment): number {
  return describeSettings().filter(({ name }) => Boolean(env[name]) || Boolean(env[`${name}_FILE`])).length;
}
