/** Reads the environment, once; everybody else is handed what it needs. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ApiKey, readApiKeys } from './api/keys.ts';
import { isLoopbackHost } from './events/outgoing/endpoint.ts';
import { secretsOf } from './lib/secret.ts';
import { needsOfWorker } from './needs-of-worker.ts';
import { type Config, metas, settings } from './settings/settings.ts';
import { isInjected, unknownSettings } from './unknown-settings.ts';

export type { Config };

type Environment = Readonly<Record<string, string | undefined>>;

/** Names every setting that is wrong, each with what would be right. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `${problems.length === 1 ? 'A setting is' : `${problems.length} settings are`} wrong:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Reads the environment. Every secret may also come from a file: `NAME_FILE` holds its path. */
export function loadConfig(
  env: Environment,
  alsoMissing: (given: Environment) => readonly string[] = () => [],
): Config {
  const problems: string[] = [];
  const given = readSecretFiles(env, problems);
  problems.push(...unknownSettings(env), ...alsoMissing(given), ...shortSecrets(given));
  const parsed = settings.safeParse(given);
  for (const issue of parsed.error?.issues ?? []) problems.push(`${issue.path.join('.')}: ${issue.message}`);
  if (!parsed.success || problems.length > 0) throw new WrongSettings(problems);
  return Object.freeze(parsed.data);
}

/** What a process with these roles cannot do without, and the keys that are known at its API. */
export function missingFor(given: Environment, roles: readonly string[]): string[] {
  return [...(roles.includes('worker') ? needsOfWorker(given).problems : []), ...missingBesideKeys(given, roles)];
}

/** The same without the keys of the service, for a caller that looks at each account. */
export function missingBesideKeys(given: Environment, roles: readonly string[]): string[] {
  const work = roles.includes('worker');
  // A worker that knows no address yet is meant for the real service: all that it will need is named at once.
  const isOut = leavesLoopback(given) || (work && !given['SERVICE_BASE_URL'] && !given['SERVICE_CRM_URL']);
  const needed = new Set([
    ...(work ? needsOfWorker(given).names : []),
    ...(roles.includes('webhooks') ? ['CALLBACK_SECRET'] : []),
    // Registering an endpoint seals its secret, delivering to it opens that again.
    ...(isOut && (work || roles.includes('api')) ? ['SEALING_SECRET'] : []),
  ]);
  return [
    ...[...needed]
      .filter((name) => given[name] === undefined)
      .map((name) => `${name}: is not set (${metas.get(name)?.help})`),
    ...(roles.includes('api') ? wrongApiKeys(given, isOut) : []),
  ];
}

/** On loopback, with nothing configured, so that the first request works. */
const DEV_KEYS = 'dev:enqueue+read+approve+operate:dev,checker:read+approve:checker';

/** The keys of the API, once `missingFor` has found nothing wrong with them. */
export function apiKeysOf(config: Pick<Config, 'API_KEYS'>): ApiKey[] {
  return readApiKeys(config.API_KEYS?.reveal() ?? DEV_KEYS);
}

function wrongApiKeys(given: Environment, isOut: boolean): string[] {
  const { API_KEYS: text, HOST = '127.0.0.1' } = given;
  if (text === undefined) {
    if (!isOut) return [];
    if (!isLoopbackHost(HOST)) return [`API_KEYS: is needed, since HOST=${HOST} can be reached from outside`];
    return [
      `API_KEYS: is needed, ${leavesLoopback(given) ? 'since the service is not' : 'unless the service is'} on this machine`,
    ];
  }
  try {
    readApiKeys(text, leavesLoopback(given) ? SHORTEST_SECRET : 1);
    return [];
  } catch (error) {
    return [`API_KEYS: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Characters. 24 of `openssl rand -hex` are 96 bits: out of reach of guessing, on a wire or on a copy of a log. */
const SHORTEST_SECRET = 24;

/** Others than this machine can reach us, or it is not a double of the service that we are to talk to. */
function leavesLoopback({ HOST = '127.0.0.1', PUBLIC_URL, SERVICE_BASE_URL, SERVICE_CRM_URL }: Environment): boolean {
  const hosts = [PUBLIC_URL, SERVICE_BASE_URL, SERVICE_CRM_URL].flatMap((url) =>
    url !== undefined && URL.canParse(url) ? [new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')] : [],
  );
  return [HOST, ...hosts].some((host) => !isLoopbackHost(host));
}

function shortSecrets(given: Environment): string[] {
  if (!leavesLoopback(given)) return [];
  return ['CALLBACK_SECRET', 'SEALING_SECRET'].flatMap((name) =>
    secretsOf(given[name]).flatMap((secret, at, all) => {
      const { length } = secret.reveal();
      const which = all.length > 1 ? `number ${at + 1} ` : '';
      return length < SHORTEST_SECRET
        ? [`${name}: ${which}has ${length} characters; ${SHORTEST_SECRET} is the least (openssl rand -hex 32)`]
        : [];
    }),
  );
}

function readSecretFiles(env: Environment, problems: string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of metas.keys()) {
    const value = env[name];
    // An empty variable is how shells and compose files say "not set".
    if (value !== undefined && value !== '' && !isInjected(name, value)) given[name] = value;
    const path = metas.get(name)?.secret ? env[`${name}_FILE`] : undefined;
    if (path) {
      try {
        given[name] = readFileSync(path, 'utf8').trim();
      } catch (error) {
        problems.push(`${name}_FILE: cannot be read (${error instanceof Error ? error.message : String(error)})`);
      }
    }
  }
  return given;
}

export interface SettingDescription {
  readonly name: string;
  readonly group: string;
  readonly help: string;
  readonly secret: boolean;
  /** As it would be written in the environment; absent: no default. */
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

/** Safe to log: a secret shows only whether it is set, an address leaves out the password in it. */
export function describeConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    [...metas].map(([name, meta]) => {
      const value = config[name as keyof Config];
      if (meta.secret) return [name, value === undefined ? 'missing' : 'set'];
      return [name, typeof value === 'string' ? value.replace(/(:\/\/[^/:@]*):[^/@]+@/, '$1:[secret]@') : value];
    }),
  );
}
