/** The types of settings. Each type refuses a value with its own message and the correct format. */
import { isSupportedCountry } from 'libphonenumber-js/max';
import { z } from 'zod';
import { toMs } from '../lib/clock.ts';
import { READABLE, unseenIn } from '../lib/letters.ts';
import { Secret } from '../lib/secret.ts';
import { type LimitValue, type MoneyLimit, OFF, readLimit, strictestOf, writeLimit } from '../kinds/limits.ts';
import { type NamedFile, readNamed } from './named-file.ts';
import { readRedisUrl } from '../redis/connections.ts';
import { type UrlRule, ignoredIn } from '../lib/whole-url.ts';
import { type Message, message } from '../messages/message.ts';
import { MessageError, messageIn } from '../messages/texts.ts';
import { saidBy, says, unsaid, written } from '../messages/schemas.ts';

/** The words of a list, without empty ones. */
export const commaSeparated = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const duration = (fallback: string) => z.string().default(fallback).transform(orIssue(toMs));
/** `off` is 0. */
export const durationOrOff = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(orIssue((text) => (text === 'off' ? 0 : toMs(text))));
export const durations = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(orIssue((text) => text.split(',').map((part) => toMs(part.trim()))));
export const recheckTimes = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform(
      orIssue((text) =>
        text === 'off'
          ? []
          : text
              .split(',')
              .map((part) => toMs(part.trim()))
              .sort((a, b) => a - b),
      ),
    );
export const count = (fallback: number, { min = 0, max = 1_000_000 } = {}) =>
  z.coerce
    .number({ error: says('must_be_integer') })
    .int(says('must_be_integer'))
    .min(min)
    .max(max)
    .default(fallback);
/** Comma-separated; `read` parses each word and throws for an invalid one. */
export const words = (read: (word: string) => string) =>
  z
    .string()
    .default('')
    .transform(orIssue((text) => commaSeparated(text).map(read)));
/**
 * An unset limit is not requested, and only then the default applies: the default is displayed here and never filled
 * in.
 */
export const limit = (name: MoneyLimit) =>
  z
    .string()
    .meta({ default: writeLimit(name, strictestOf(name, [])) })
    .optional()
    .transform((text, context) => (text === undefined ? undefined : orIssue(readLimitOf(name))(text, context)));
/** `50000xof`, `1000recipients`, or both separated by a comma: each is a separate limit. */
export const campaignApproval = () =>
  z
    .string()
    .meta({ default: 'off' })
    .optional()
    .transform((text, context) => (text === undefined ? undefined : orIssue(readCampaignApproval)(text, context)));
function readCampaignApproval(text: string): CampaignApproval {
  if (text === OFF) return { xof: null, recipients: null };
  const read: { -readonly [Unit in keyof CampaignApproval]: CampaignApproval[Unit] } = {};
  for (const part of text.split(',')) {
    const [, value, unit] = /^\s*([1-9]\d{0,14})(xof|recipients)\s*$/.exec(part) ?? [];
    if (unit !== 'xof' && unit !== 'recipients') {
      throw new MessageError(message('campaign_approval'));
    }
    read[unit] = Number(value);
  }
  return read;
}
export interface CampaignApproval {
  readonly xof?: LimitValue;
  readonly recipients?: LimitValue;
}
const readLimitOf = (name: MoneyLimit) => (text: string) => readLimit(name, text);
export const onOff = z.enum(['on', 'off']).default('off');
export const port = (fallback: number) => count(fallback, { max: 65_535 });
export const secret = () =>
  z
    .string()
    .min(1)
    .optional()
    .transform((value) => (value === undefined ? undefined : new Secret(value)));
export const httpUrl = () =>
  url({ protocol: /^https?$/, example: 'https://host' }).transform((text) => text.replace(/\/+$/, ''));
/** Exactly as the provider writes it, including a slash at its end. */
export const issuer = () => url({ protocol: /^https?$/, example: 'https://login.example.sn' });
const POSTGRES = {
  protocol: /^postgres(ql)?$/,
  example: 'postgres://user:password@host/database',
  user: true,
  query: [
    'sslmode',
    'sslrootcert',
    'sslcert',
    'sslkey',
    'sslnegotiation',
    'uselibpqcompat',
    'ssl',
    'host',
    'port',
    'application_name',
    'options',
  ],
};
export const postgresUrl = () =>
  url(POSTGRES)
    .transform((text) => new Secret(text))
    .optional();
function url(rule: UrlRule) {
  return z.string().transform(
    orIssue((text) => {
      const ignored = ignoredIn(text, rule);
      if (ignored !== undefined) throw new MessageError(ignored);
      return text;
    }),
  );
}
export const redisUrl = (fallback: string) => z.string().default(fallback).transform(orIssue(readRedisUrl));
export const country = () => z.string().transform(orIssue(readCountry));
export const addresses = () =>
  z.string().transform(orIssue((text) => text.split(',').map((part) => readHostAndPort(part.trim()))));
export const sender = () => z.string().transform(orIssue(readSender));
/** Reads the file named by a setting. */
export const fileWith = <T>(read: (text: string) => T): z.ZodType<NamedFile<T>, string> =>
  z.string().transform(orIssue((path) => readNamed(path, read)));

/** Turns the error of a reader into an issue with its message, so that all invalid settings are reported together. */
export function orIssue<T>(read: (text: string) => T) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: written(messageIn(error)) });
      return z.NEVER;
    }
  };
}

function readCountry(text: string): string {
  if (isSupportedCountry(text)) return text;
  throw new MessageError(message('country_setting', { text }));
}

const SENDER_MOST = 20;

/** With the rules of a request. */
function readSender(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name.length > SENDER_MOST)
    throw new MessageError(message('name_too_long', { length: name.length, most: SENDER_MOST }));
  const unseen = unseenIn(name);
  if (unseen !== undefined) throw new MessageError(unseen);
  return name;
}

export function readWithdrawModeName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new MessageError(message('mode_name', { text }));
}

export function readFingerprint(text: string): string {
  if (/^[0-9a-f]{12}$/.test(text)) return text;
  throw new MessageError(message('fingerprint', { text }));
}

export function readCertificates(text: string): string {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new MessageError(message('certificate'));
}

const PORT_MOST = 65_535;

/** `host:26379`, `[::1]:26379`. */
function readHostAndPort(text: string): { readonly host: string; readonly port: number } {
  const { bracketed, plain, digits } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^\s:[\]/@]+)):(?<digits>\d{1,5})$/.exec(text)?.groups ?? {};
  const host = bracketed ?? plain;
  const portNumber = Number(digits);
  if (host !== undefined && portNumber > 0 && portNumber <= PORT_MOST) return { host, port: portNumber };
  throw new MessageError(message('host_and_port', { text }));
}

const accountKey = z
  .string()
  .trim()
  .min(1)
  .transform(orIssue(readAccountKey))
  .transform((value) => new Secret(value))
  .optional();

function readAccountKey(text: string): string {
  const unseen = unseenIn(text, READABLE);
  if (unseen !== undefined) throw new MessageError(unseen);
  return text;
}

const accountFile = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, says('account_name_letters')),
  z.strictObject({
    mode: z.enum(['live', 'test']).optional(),
    masterKey: accountKey,
    privateKey: accountKey,
    token: accountKey,
    smsUserKey: accountKey,
    smsSecretKey: accountKey,
    smsAppKey: accountKey,
    smsSender: sender().optional(),
    keysBefore: z.array(z.string()).default([]),
  }),
);

/**
 * The file contains keys, and a parser's message may quote them: only the position and the expected content are
 * reported.
 */
export function readAccountsText(text: string): z.output<typeof accountFile> {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new MessageError(message('not_json_file'));
  }
  const { data, error } = accountFile.safeParse(read, { error: unsaid });
  if (data !== undefined) return data;
  throw new MessageError(message('problem_list', { problems: error.issues.map(problemOf) }));
}

function problemOf(issue: z.core.$ZodIssue): Message {
  const [ofKey = issue] = issue.code === 'invalid_key' ? issue.issues : [];
  const name = issue.path.join('.');
  return name === '' ? saidBy(ofKey) : message('of_setting', { name, problem: saidBy(ofKey) });
}
