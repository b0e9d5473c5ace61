/** The settings with which relais is known to the sandbox: for `relais dev`, and for whatever tries relais against it. */
import { defaultCredentials } from '../sandbox/sandbox.ts';

const { masterKey, privateKey, token, smsUserKey, smsSecretKey, smsAppKey, smsSender } = defaultCredentials;

export const sandboxKeys = {
  SERVICE_MASTER_KEY: masterKey,
  SERVICE_PRIVATE_KEY: privateKey,
  SERVICE_TOKEN: token,
  SMS_USER_KEY: smsUserKey,
  SMS_SECRET_KEY: smsSecretKey,
  SMS_APP_KEY: smsAppKey,
  SMS_SENDER: smsSender,
} as const;
