import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Secret } from '../lib/secret.ts';
import type { TokenStores } from './messaging/token-store.ts';
import type { Rates } from './rates.ts';
import type { OutgoingRequest } from './transport.ts';
import type { FailureCode, ExchangeSummary } from './verdict.ts';

interface PaymentKeys {
  readonly masterKey: Secret;
  readonly privateKey: Secret;
  readonly token: Secret;
}

export interface MessagingKeys {
  readonly userKey: Secret;
  readonly secretKey: Secret;
  readonly appKey: Secret;
}

/** The keys of the payment area, or the missing one. */
export function paymentKeys(account: UpstreamAccount): PaymentKeys | FailureCode {
  const { masterKey, privateKey, token } = account;
  if (!masterKey) return 'missing_master_key';
  if (!privateKey) return 'missing_private_key';
  return token ? { masterKey, privateKey, token } : 'missing_token';
}

/** The keys of the messaging area, or the missing one. */
export function messagingKeys(account: UpstreamAccount): MessagingKeys | FailureCode {
  const { smsUserKey: userKey, smsSecretKey: secretKey, smsAppKey: appKey } = account;
  if (!userKey) return 'missing_sms_user_key';
  if (!secretKey) return 'missing_sms_secret_key';
  return appKey ? { userKey, secretKey, appKey } : 'missing_sms_app_key';
}

/** All secrets of an account, which must never be shown. */
export function secretsOf(account: UpstreamAccount): readonly Secret[] {
  const all = [
    account.masterKey,
    account.privateKey,
    account.token,
    account.smsUserKey,
    account.smsSecretKey,
    account.smsAppKey,
  ];
  return all.filter((secret) => secret !== undefined && secret.reveal() !== '') as Secret[];
}

/** The two areas of the provider; each has its own host and credentials. */
export type Area = 'payments' | 'messaging';

/** One application at the provider: its keys and its mode. Records contain `name`, never a key. */
export interface UpstreamAccount {
  readonly name: string;
  readonly mode: 'live' | 'test';
  /** `SERVICE` gives the headers `SERVICE-MASTER-KEY`, `SERVICE-PRIVATE-KEY` and `SERVICE-TOKEN`. */
  readonly headerPrefix: string;
  readonly masterKey?: Secret | undefined;
  readonly privateKey?: Secret | undefined;
  readonly token?: Secret | undefined;
  readonly smsUserKey?: Secret | undefined;
  readonly smsSecretKey?: Secret | undefined;
  readonly smsAppKey?: Secret | undefined;
  /** The sender ID configured on the messaging account. */
  readonly smsSender?: string | undefined;
}

/** The interface names both "form fields" and "Content-Type: application/json" for the login; `auto` tries both. */
export type LoginEncoding = 'form' | 'json' | 'form-as-json';

export interface UpstreamOptions {
  readonly baseUrl: string;
  readonly crmUrl: string;
  /** Maximum wait for the headers of an answer, and between two parts of its body. */
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Whether a test account may use operations that have only a live path. Never for payment requests. */
  readonly livePathsInTest: boolean;
  readonly softpayCard: boolean;
  readonly smsLoginEncoding: 'auto' | LoginEncoding;
  /** The number format: `+2217…` (default), `2217…` or `002217…`. */
  readonly smsNumberFormat?: 'plus' | 'digits' | '00' | undefined;
  readonly extraWithdrawModes?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly rates: Rates;
  readonly tokenStores: TokenStores;
  /** Receives every exchange, whatever its result. */
  readonly onExchange: (exchange: ExchangeSummary, letter: Pick<OutgoingRequest, 'method' | 'url'>) => void;
}
