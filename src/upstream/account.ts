import type { Secret } from '../lib/secret.ts';
import type { FailureCode } from './failures.ts';
import type { UpstreamAccount } from './options.ts';

export interface PaymentKeys {
  readonly masterKey: Secret;
  readonly privateKey: Secret;
  readonly token: Secret;
}

export interface MessagingKeys {
  readonly userKey: Secret;
  readonly secretKey: Secret;
  readonly appKey: Secret;
}

/** The keys of the payment area, or which one is missing. */
export function paymentKeys(account: UpstreamAccount): PaymentKeys | FailureCode {
  const { masterKey, privateKey, token } = account;
  if (!masterKey) return 'missing_master_key';
  if (!privateKey) return 'missing_private_key';
  return token ? { masterKey, privateKey, token } : 'missing_token';
}

/** The keys of the messaging area, or which one is missing. */
export function messagingKeys(account: UpstreamAccount): MessagingKeys | FailureCode {
  const { smsUserKey: userKey, smsSecretKey: secretKey, smsAppKey: appKey } = account;
  if (!userKey) return 'missing_sms_user_key';
  if (!secretKey) return 'missing_sms_secret_key';
  return appKey ? { userKey, secretKey, appKey } : 'missing_sms_app_key';
}

/** Everything of an account that must never be shown. */
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
