/** SMS login and the bearer tokens it gives (interface: Authentication, Messaging area). */
import type { Random } from '../lib/random.ts';
import { type Answer, ok, smsRefusal } from './answers.ts';
import type { Call, Handler, Simulator } from './simulator.ts';

/** The issued bearer tokens, with their expiry. */
export class BearerTokens {
  readonly #expiresAt = new Map<string, number>();

  give(random: Random, expiresAt: number): string {
    const token = random.hex(24);
    this.#expiresAt.set(token, expiresAt);
    return token;
  }

  /** The error code for a token, or undefined if it is valid. */
  refusal(token: string, now: number): 'ERROR_121' | 'ERROR_122' | undefined {
    const expiresAt = this.#expiresAt.get(token);
    if (expiresAt === undefined) return 'ERROR_122';
    return now >= expiresAt ? 'ERROR_121' : undefined;
  }

  expire(token: string): void {
    if (this.#expiresAt.has(token)) this.#expiresAt.set(token, 0);
  }

  clear(): void {
    this.#expiresAt.clear();
  }
}

export const loginSms: Handler = (call, simulator) => {
  const { credentials, records } = simulator;
  const fields = readFields(call, simulator);
  if (fields === undefined) {
    records.breach(call.operation, 'the body holds no login fields in an encoding this sandbox reads');
    return smsRefusal('ERROR_104', simulator);
  }
  const { user_key: user, secret_key: secret, ...rest } = fields;
  const unknown = Object.keys(rest);
  if (unknown.length > 0) records.breach(call.operation, `unknown fields: ${unknown.join(', ')}`);
  if (!isText(user) || !isText(secret)) {
    records.breach(call.operation, 'user_key or secret_key is missing');
    return smsRefusal('ERROR_118', simulator);
  }
  if (user !== credentials.smsUserKey || secret !== credentials.smsSecretKey)
    return smsRefusal('ERROR_117', simulator);
  return giveToken(simulator);
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function giveToken({ records, bearerTokens, settings, random, time }: Simulator): Answer {
  const { loginKillsTokens, smsTokenLifetimeMs } = settings.values;
  if (loginKillsTokens) bearerTokens.clear();
  records.logins += 1;
  const token = bearerTokens.give(random, time.now() + smsTokenLifetimeMs);
  return ok({ access_token: token, token_type: 'bearer', expires_in: 3600 });
}

/**
 * The interface calls them form fields and asks for Content-Type application/json, so both are parsed, by their
 * content and not by their content type.
 */
function readFields({ text, headers }: Call, { settings }: Simulator): Record<string, unknown> | undefined {
  const { loginEncoding } = settings.values;
  const json = asObject(text);
  if (json !== undefined) return loginEncoding === 'form' ? undefined : json;
  if (loginEncoding === 'json') return undefined;
  const [, boundary] = /boundary="?([^";]+)"?/.exec(String(headers['content-type'])) ?? [];
  return boundary === undefined ? Object.fromEntries(new URLSearchParams(text)) : readMultipart(text, boundary);
}

function readMultipart(text: string, boundary: string): Record<string, string> {
  const parts = text.split(`--${boundary}`).map((part) => /name="([^"]+)"\r?\n[^]*?\r?\n([^]*?)\r?\n$/.exec(part));
  return Object.fromEntries(parts.flatMap((part) => (part === null ? [] : [[part[1], part[2]]])));
}

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** Checks the Authorization header of the other SMS calls. */
export function refuseBearer(call: Call, simulator: Simulator): Answer | undefined {
  const { records, faults, bearerTokens, time } = simulator;
  const { authorization } = call.headers;
  const [, token] = /^bearer (\S+)$/i.exec(typeof authorization === 'string' ? authorization : '') ?? [];
  if (token === undefined) {
    records.breach(call.operation, 'no Authorization: Bearer header');
    return smsRefusal('ERROR_123', simulator);
  }
  if (faults.strikes('says the token expired', call)) bearerTokens.expire(token);
  const code = bearerTokens.refusal(token, time.now());
  return code === undefined ? undefined : smsRefusal(code, simulator);
}
