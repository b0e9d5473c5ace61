/** Reads the environment at the start; all other code receives its values. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ApiKey, readApiKeys, readGroups } from './api/keys.ts';
import { isLoopbackHost } from './events/outgoing/endpoint.ts';
import { READABLE, unseenIn } from './lib/letters.ts';
import { nearest } from './lib/nearest.ts';
import { textOf as savedText } from './lib/saved-text.ts';
import { secretsOf } from './lib/secret.ts';
import { type Config, metas, settings } from './settings/settings.ts';
import { englishSettings } from './messages/english-settings.ts';
import type { Language } from './messages/languages.ts';
import { type Message, message } from './messages/message.ts';
import { saidBy, unsaid } from './messages/schemas.ts';
import { MessageError, messageIn, textOf } from './messages/texts.ts';
import { unreadableFile } from './settings/named-file.ts';

export type { Config };

type Environment = Readonly<Record<string, string | undefined>>;

/** Lists every invalid setting, each with the correct form. */
export class WrongSettings extends MessageError {
  override readonly name = 'WrongSettings';
  readonly problems: readonly Message[];

  constructor(problems: readonly Message[]) {
    const { length: count } = problems;
    super(count === 1 ? message('setting_wrong') : message('settings_wrong', { count }));
    this.problems = problems;
    this.message = this.textIn('en');
  }

  override textIn(language: Language): string {
    const lines = this.problems.map((problem) => `  - ${textOf(problem, language)}`);
    return [super.textIn(language), ...lines].join('\n');
  }
}

export const settingProblem = (name: string, problem: Message): Message => message('of_setting', { name, problem });

const notSet = (name: string): Message =>
  settingProblem(
    name,
    message('not_set_what', { what: isExplained(name) ? { code: name } : (metas.get(name)?.help ?? '') }),
  );

const isExplained = (name: string): name is keyof typeof englishSettings => Object.hasOwn(englishSettings, name);

/** Reads the environment. Every secret may also come from a file: `NAME_FILE` contains its path. */
export function loadConfig(
  env: Environment,
  alsoMissing: (given: Environment) => readonly Message[] = () => [],
): Config {
  const problems: Message[] = [];
  const given = readSecretFiles(env, problems);
  problems.push(
    ...unknownSettings(env),
    ...alsoMissing(given),
    ...shortSecrets(given),
    ...unpriced(given),
    ...twoPlaces(given),
    ...wrongProvider(given),
  );
  const parsed = settings.safeParse(given, { error: unsaid });
  for (const issue of parsed.error?.issues ?? []) problems.push(settingProblem(issue.path.join('.'), saidBy(issue)));
  if (!parsed.success || problems.length > 0) throw new WrongSettings(problems);
  return Object.freeze(parsed.data);
}

/** Required settings of a process with these roles, and the API keys in use. */
export function missingFor(given: Environment, roles: readonly string[]): Message[] {
  return [...(roles.includes('worker') ? needsOfWorker(given).problems : []), ...missingBesideKeys(given, roles)];
}

/** Without the provider's keys, for a caller that checks each account. */
export function missingBesideKeys(given: Environment, roles: readonly string[]): Message[] {
  const work = roles.includes('worker');
  // A worker without an address yet is intended for the real provider: all its missing settings are reported
  // together.
  const isOut = leavesLoopback(given) || (work && !given['SERVICE_BASE_URL'] && !given['SERVICE_CRM_URL']);
  const needed = new Set([
    ...(work ? needsOfWorker(given).names : []),
    ...(roles.includes('webhooks') ? ['CALLBACK_SECRET'] : []),
    // Registering an endpoint encrypts its secret, and delivering to it decrypts the secret.
    ...(isOut && (work || roles.includes('api')) ? ['SEALING_SECRET'] : []),
  ]);
  return [
    ...missingDatabase(given),
    ...[...needed].filter((name) => given[name] === undefined).map(notSet),
    ...(roles.includes('api') ? wrongApiKeys(given, isOut) : []),
  ];
}

/** No process works without the ledger. */
export function missingDatabase({ DATABASE_URL: url }: Environment): Message[] {
  return url === undefined ? [notSet('DATABASE_URL')] : [];
}

/** On loopback, without configuration, so that the first request works. */
const DEV_KEYS = 'dev:enqueue+read+approve+operate:dev,checker:read+approve:checker';

/** The API keys, after `missingFor` has found no problem with them. */
export function apiKeysOf(config: Pick<Config, 'API_KEYS'>): ApiKey[] {
  return readApiKeys(config.API_KEYS?.reveal() ?? DEV_KEYS);
}

function wrongApiKeys(given: Environment, isOut: boolean): Message[] {
  const { API_KEYS: text, HOST = '127.0.0.1' } = given;
  if (text === undefined) {
    if (!isOut) return [];
    if (!isLoopbackHost(HOST)) return [settingProblem('API_KEYS', message('required_by_host', { host: HOST }))];
    const why = leavesLoopback(given) ? 'required_with_provider' : 'required_unless_here';
    return [settingProblem('API_KEYS', message(why))];
  }
  try {
    readApiKeys(text, leavesLoopback(given) ? SHORTEST_SECRET : 1);
    return [];
  } catch (error) {
    return [settingProblem('API_KEYS', messageIn(error))];
  }
}

/** Characters. 24 of `openssl rand -hex` are 96 bits: unguessable online, and in a copied log. */
const SHORTEST_SECRET = 24;

/** Other machines can reach this process, or it uses a real provider. */
function leavesLoopback({ HOST = '127.0.0.1', PUBLIC_URL, SERVICE_BASE_URL, SERVICE_CRM_URL }: Environment): boolean {
  const hosts = [PUBLIC_URL, SERVICE_BASE_URL, SERVICE_CRM_URL].flatMap((url) =>
    url !== undefined && URL.canParse(url) ? [new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')] : [],
  );
  return [HOST, ...hosts].some((host) => !isLoopbackHost(host));
}

/** SMS costs are counted in XOF, so a budget without prices has no effect. */
function unpriced(given: Environment): Message[] {
  if (given['SMS_PRICES_FILE'] !== undefined) return [];
  return ['SMS_BUDGET_DAY', 'SMS_BUDGET_MONTH', 'CAMPAIGN_APPROVAL_ABOVE'].flatMap((name) => {
    const value = given[name];
    const isInXof =
      value !== undefined && value !== 'off' && (name !== 'CAMPAIGN_APPROVAL_ABOVE' || value.includes('xof'));
    return isInXof ? [settingProblem(name, message('needs_prices'))] : [];
  });
}

/** All or none: a part would not allow a sign-in, and is probably a mistake. */
const PROVIDER = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_GROUPS'];

function wrongProvider(given: Environment): Message[] {
  const { OIDC_ISSUER: issuer, OIDC_GROUPS: groups } = given;
  const missing = PROVIDER.filter((name) => given[name] === undefined);
  if (missing.length === PROVIDER.length) return [];
  const problems = missing.map(notSet);
  if (issuer !== undefined && URL.canParse(issuer)) {
    const { protocol, hostname } = new URL(issuer);
    // A man in the middle could sign in as any user.
    if (protocol === 'http:' && !isLoopbackHost(hostname)) {
      problems.push(settingProblem('OIDC_ISSUER', message('must_begin_with_https')));
    }
  }
  try {
    if (groups !== undefined) readGroups(groups);
  } catch (error) {
    problems.push(settingProblem('OIDC_GROUPS', messageIn(error)));
  }
  return problems;
}

function twoPlaces({ REDIS_CLUSTER, REDIS_SENTINELS, REDIS_URL = '' }: Environment): Message[] {
  if (REDIS_CLUSTER === undefined) return [];
  const { pathname } = URL.canParse(REDIS_URL) ? new URL(REDIS_URL) : { pathname: '' };
  return [
    ...(REDIS_SENTINELS === undefined ? [] : [settingProblem('REDIS_CLUSTER', message('cluster_or_sentinels'))]),
    ...(/^\/?0?$/.test(pathname) ? [] : [settingProblem('REDIS_CLUSTER', message('cluster_without_database'))]),
  ];
}

function shortSecrets(given: Environment): Message[] {
  if (!leavesLoopback(given)) return [];
  return ['CALLBACK_SECRET', 'SEALING_SECRET'].flatMap((name) =>
    secretsOf(given[name]).flatMap((secret, at, all) => {
      const { length } = secret.reveal();
      if (length >= SHORTEST_SECRET) return [];
      const values = { length, least: SHORTEST_SECRET };
      const short =
        all.length > 1
          ? message('secret_number_too_short', { number: at + 1, ...values })
          : message('secret_too_short', values);
      return [settingProblem(name, short)];
    }),
  );
}

function readSecretFiles(env: Environment, problems: Message[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of metas.keys()) {
    // A file from Windows ends its lines with a carriage return, which Docker and shells pass on.
    const value = env[name]?.trim() ?? '';
    // Shells and compose files use an empty variable for "not set".
    if (value !== '' && !isInjected(name, value)) given[name] = value;
    const isSecret = metas.get(name)?.secret ?? false;
    const path = isSecret ? env[`${name}_FILE`]?.trim() : undefined;
    if (path) {
      try {
        given[name] = savedText(readFileSync(path)).trim();
      } catch (error) {
        problems.push(settingProblem(`${name}${FILE}`, unreadableFile(error)));
      }
    }
    const unseen = isSecret ? controlIn(given[name] ?? '') : undefined;
    if (unseen !== undefined) problems.push(settingProblem(`${name}${path ? FILE : ''}`, unseen));
  }
  return given;
}

/** Lists may have a line end after each comma. */
function controlIn(secret: string): Message | undefined {
  const parts = secret.split(',').map((part) => part.trim());
  return parts.map((part) => unseenIn(part, READABLE)).find((problem) => problem !== undefined);
}

export interface SettingDescription {
  readonly name: string;
  readonly group: string;
  readonly help: string;
  readonly secret: boolean;
  /** In the form of the environment; absent: no default. */
  readonly fallback?: string;
}

/** Every setting, for .env.example and docs/settings.md. */
export function describeSettings(): SettingDescription[] {
  return [...metas].map(([name, { help, group: groupName, secret: hidden }]) => {
    const type = settings.shape[name as keyof Config] as z.ZodType;
    const json = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as { default?: string | number };
    return {
      name,
      group: groupName,
      help,
      secret: hidden ?? false,
      ...(json.default === undefined ? {} : { fallback: String(json.default) }),
    };
  });
}

/** Safe to log: a secret shows only whether it is set, an address omits its password. */
export function describeConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    [...metas].map(([name, meta]) => {
      const value = config[name as keyof Config];
      if (meta.secret) return [name, value === undefined ? 'missing' : 'set'];
      return [name, typeof value === 'string' ? value.replace(/(:\/\/[^/:@]*):[^/]+@/, '$1:[secret]@') : value];
    }),
  );
}

/** Unknown environment variables with our prefixes: a misspelt setting would otherwise be ignored. */

/** Prefixes that only our settings use. */
const PREFIXES = /^(SERVICE|SMS|UPSTREAM|DISBURSEMENT|MAX|RELAIS)_/;

/** Variables of our programs outside a deployment: the commands, the tests, `relais dev`. */
const OF_PROGRAMS = ['RELAIS_URL', 'RELAIS_API_KEY', 'RELAIS_DEEP', 'RELAIS_NODE', 'RELAIS_SEED', 'REDIS_SERVER_BIN'];

/** Kubernetes sets these in each container for each service of its namespace, including one with our name. */
const INJECTED = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT_/;
const INJECTED_PORT = /^(tcp|udp|sctp):\/\//;

const FILE = '_FILE';

/** Kubernetes sets the port of a service with our name in this form: then no user has set it. */
function isInjected(name: string, value: string): boolean {
  return INJECTED.test(name) || (name.endsWith('_PORT') && INJECTED_PORT.test(value));
}

/** The values are not repeated: they may be secrets. */
function unknownSettings(env: Environment): Message[] {
  return [...removedSettings(env), ...misspelt(env)];
}

/** Settings of earlier versions, each with its replacement. */
const REMOVED: Readonly<Record<string, Message>> = {
  HISTORY_URL: message('instead_database'),
  HISTORY_AFTER: message('instead_retention'),
  HISTORY_TEXTS_AFTER: message('instead_retention_sms'),
  IDENTITY_KEEP: message('instead_idempotency_keep'),
  DURABILITY: message('instead_postgres'),
  REDIS_WAIT_REPLICAS: message('instead_standby'),
  REDIS_PATIENCE: message('instead_patience'),
  SILENCE_LIMIT: message('instead_witness'),
  AUDIT_MOST: message('instead_audit_keep'),
};

function removedSettings(env: Environment): Message[] {
  return Object.entries(REMOVED).flatMap(([name, instead]) => {
    const set = [name, name + FILE].filter((one) => (env[one] ?? '').trim() !== '');
    return set.map((one) => settingProblem(one, message('was_removed', { instead })));
  });
}

function misspelt(env: Environment): Message[] {
  const secretFiles = [...metas].flatMap(([name, { secret }]) => (secret ? [name + FILE] : []));
  const removed = new Set(Object.keys(REMOVED).flatMap((name) => [name, name + FILE]));
  const known = new Set([...metas.keys(), ...secretFiles, ...OF_PROGRAMS]);
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === '' || known.has(name) || removed.has(name) || isInjected(name, value))
      return [];
    const why = whyRefused(name, known);
    return why === undefined ? [] : [settingProblem(name, why)];
  });
}

function whyRefused(name: string, known: ReadonlySet<string>): Message | undefined {
  const bare = name.slice(0, -FILE.length);
  if (name.endsWith(FILE) && metas.has(bare)) return message('no_setting_file', { name: bare });
  const meant = nearest(name, known);
  if (meant !== undefined) return message('no_setting_meant', { meant });
  return PREFIXES.test(name) ? message('no_setting_though') : undefined;
}

/** Requirements of a worker: one complete set of keys, its address, and for payments a callback address. */

/** The names of each area's keys in the environment and in ACCOUNTS_FILE. */
const AREAS = [
  {
    address: 'SERVICE_BASE_URL',
    keys: { SERVICE_MASTER_KEY: 'masterKey', SERVICE_PRIVATE_KEY: 'privateKey', SERVICE_TOKEN: 'token' },
  },
  {
    address: 'SERVICE_CRM_URL',
    keys: { SMS_USER_KEY: 'smsUserKey', SMS_SECRET_KEY: 'smsSecretKey', SMS_APP_KEY: 'smsAppKey' },
  },
] as const;
const [PAYMENTS] = AREAS;

type Area = (typeof AREAS)[number];
type HasKey = (setting: string, field: string) => boolean;

interface Needs {
  readonly problems: readonly Message[];
  /** Settings that are required in addition. */
  readonly names: readonly string[];
}

function needsOfWorker(given: Environment): Needs {
  const ofMain: HasKey = (setting) => given[setting] !== undefined;
  const others = accountsIn(given).map(([name, account]) => {
    const has: HasKey = (_, field) => (account as Readonly<Record<string, unknown>>)[field] !== undefined;
    return { name, has };
  });
  const begun = AREAS.filter((area) => [ofMain, ...others.map(({ has }) => has)].some((has) => isBegun(area, has)));
  // The intended area is unknown: both are named.
  const areas: readonly Area[] = begun.length > 0 ? begun : AREAS;
  return {
    problems: [
      ...keysOfMain(ofMain, others.length > 0),
      ...others.flatMap(({ name, has }) => keysOfOther(name, has)),
    ],
    names: [
      ...areas.map(({ address }) => address),
      ...(areas.includes(PAYMENTS) ? ['CALLBACK_SECRET', ...(isServiceHere(given) ? [] : ['PUBLIC_URL'])] : []),
    ],
  };
}

/** None if the file is unreadable, which is reported elsewhere. */
function accountsIn({ ACCOUNTS_FILE: path }: Environment) {
  return Object.entries(settings.shape.ACCOUNTS_FILE.safeParse(path).data?.holds ?? {});
}

function isBegun({ keys }: Area, has: HasKey): boolean {
  return Object.entries(keys).some(([setting, field]) => has(setting, field));
}

function keysOfMain(has: HasKey, thereAreOthers: boolean): Message[] {
  const begun = AREAS.filter((area) => isBegun(area, has));
  if (begun.length === 0 && !thereAreOthers) return [message('no_keys')];
  return begun.flatMap(({ keys }) =>
    Object.entries(keys)
      .filter(([setting, field]) => !has(setting, field))
      .map(([setting]) => notSet(setting)),
  );
}

function keysOfOther(name: string, has: HasKey): Message[] {
  const begun = AREAS.filter((area) => isBegun(area, has));
  if (begun.length === 0) return [message('account_lacks_all', { account: name })];
  const lacks = begun.flatMap(({ keys }) =>
    Object.entries(keys).flatMap(([setting, field]) => (has(setting, field) ? [] : [field])),
  );
  return lacks.length === 0 ? [] : [message('account_lacks', { account: name, keys: lacks.join(', ') })];
}

/** Then it finds the receiver on this machine too, and no address is needed. */
function isServiceHere({ SERVICE_BASE_URL: url }: Environment): boolean {
  return url !== undefined && URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
