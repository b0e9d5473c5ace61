/** SMS login and the bearer tokens it gives (interface: Authentication, Messaging area). */
import { type Answer, ok } from './answers.ts';
import { smsRefusal } from './sms-codes.ts';
import type { Ask, Handler, World } from './world.ts';

export const loginSms: Handler = (ask, world) => {
  const fields = readFields(ask, world);
  if (fields === undefined) {
    world.books.breach(ask.operation, 'the body holds no login fields in an encoding this sandbox reads');
    return smsRefusal('ERROR_104', world);
  }
  const { user_key: user, secret_key: secret, ...rest } = fields;
  const strange = Object.keys(rest);
  if (strange.length > 0) world.books.breach(ask.operation, `unknown fields: ${strange.join(', ')}`);
  if (!isText(user) || !isText(secret)) {
    world.books.breach(ask.operation, 'user_key or secret_key is missing');
    return smsRefusal('ERROR_118', world);
  }
  const { smsUserKey, smsSecretKey } = world.credentials;
  if (user !== smsUserKey || secret !== smsSecretKey) return smsRefusal('ERROR_117', world);
  return giveToken(world);
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function giveToken({ books, tokens, settings, random, time }: World): Answer {
  const { loginKillsTokens, smsTokenLifetimeMs } = settings.values;
  if (loginKillsTokens) tokens.clear();
  books.logins += 1;
  const token = tokens.give(random, time.now() + smsTokenLifetimeMs);
  return ok({ access_token: token, token_type: 'bearer', expires_in: 3600 });
}

/**
 * The page calls them form fields and asks for Content-Type application/json in the same breath, so both bodies are
 * read, by what they are and not by what they are called.
 */
function readFields({ text, headers }: Ask, { settings }: World): Record<string, unknown> | undefined {
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
export function refuseBearer(ask: Ask, world: World): Answer | undefined {
  const { authorization } = ask.headers;
  const [, token] = /^bearer (\S+)$/i.exec(typeof authorization === 'string' ? authorization : '') ?? [];
  if (token === undefined) {
    world.books.breach(ask.operation, 'no Authorization: Bearer header');
    return smsRefusal('ERROR_123', world);
  }
  if (world.faults.named('says the token expired', ask)) world.tokens.expire(token);
  const code = world.tokens.refusal(token, world.time.now());
  return code === undefined ? undefined : smsRefusal(code, world);
}
