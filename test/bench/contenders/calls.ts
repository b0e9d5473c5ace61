/** The provider's calls in plain code, for the bare loop and the usual code. */
import { Agent, Client, request } from 'undici';
import { defaultCredentials } from '../../../src/sandbox/sandbox.ts';
import { paymentHeaders } from '../work.ts';

const agent = new Agent({ keepAliveTimeout: 2_000 });
const ACCEPT = 'application/vnd.apisms.v1+json';

export async function logIn(crm: string): Promise<string> {
  const { smsUserKey, smsSecretKey } = defaultCredentials;
  const answer = await request(`${crm}/api/v1/auth/login`, {
    method: 'POST',
    dispatcher: agent,
    headers: { accept: ACCEPT, 'content-type': 'application/json' },
    body: JSON.stringify({ user_key: smsUserKey, secret_key: smsSecretKey }),
  });
  const { access_token: token } = (await answer.body.json()) as { access_token?: string };
  if (!token) throw new Error('the sandbox gave no bearer');
  return token;
}

export async function send(crm: string, token: string, body: string): Promise<void> {
  const answer = await request(`${crm}/api/v1/sms/send`, {
    method: 'POST',
    dispatcher: agent,
    headers: { authorization: `Bearer ${token}`, accept: ACCEPT, 'content-type': 'application/json' },
    body,
  });
  const { code } = (await answer.body.json()) as { code?: string };
  if (code !== '00') throw new Error(`a chunk was refused: ${code}`);
}

async function pay<T>(base: string, path: string, body: object, fresh = false): Promise<T> {
  const client = fresh ? new Client(base, { pipelining: 0 }) : undefined;
  try {
    const answer = await request(`${base}/api/v2/disburse/${path}`, {
      method: 'POST',
      dispatcher: client ?? agent,
      headers: paymentHeaders,
      body: JSON.stringify(body),
      reset: fresh,
    });
    const said = (await answer.body.json()) as T & { response_code?: string };
    if (said.response_code !== '00') throw new Error(`${path} was refused: ${JSON.stringify(said)}`);
    return said;
  } finally {
    await client?.destroy();
  }
}

export interface Payment {
  readonly accountAlias: string;
  readonly amount: number;
  readonly withdrawMode: string;
  readonly callbackUrl: string;
}

export async function createToken(base: string, payment: Payment): Promise<string> {
  const { accountAlias, amount, withdrawMode, callbackUrl } = payment;
  const said = await pay<{ disburse_token: string }>(base, 'get-invoice', {
    account_alias: accountAlias,
    amount,
    callback_url: callbackUrl,
    withdraw_mode: withdrawMode,
  });
  return said.disburse_token;
}

/** On a separate connection, as relais does. */
export async function submit(base: string, token: string, disburseId: string): Promise<void> {
  await pay(base, 'submit-invoice', { disburse_invoice: token, disburse_id: disburseId }, true);
}

export async function status(base: string, token: string): Promise<string> {
  return (await pay<{ status: string }>(base, 'check-status', { disburse_invoice: token })).status;
}
