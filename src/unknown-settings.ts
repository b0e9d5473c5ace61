/** Names in the environment that look like settings of ours and are none: a slip of the pen would go unnoticed. */
import { nearest } from './lib/nearest.ts';
import { metas } from './settings/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whatever begins like this is ours; nothing else has a reason to be called so. */
const PREFIXES = /^(SERVICE|SMS|UPSTREAM|DISBURSEMENT|MAX|RELAIS)_/;

/** What our own programs read that are no process of a deployment: the commands, the tests, `relais dev`. */
const OF_PROGRAMS = ['RELAIS_URL', 'RELAIS_API_KEY', 'RELAIS_DEEP', 'RELAIS_SEED', 'REDIS_SERVER_BIN'];

/** How Kubernetes tells each container of each service in its namespace, also of one that is called like us. */
const INJECTED = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT_/;
const INJECTED_PORT = /^(tcp|udp|sctp):\/\//;

const FILE = '_FILE';

/** A port of ours may be called as Kubernetes calls that of a service: then nobody has set it. */
export function isInjected(name: string, value: string): boolean {
  return INJECTED.test(name) || (name.endsWith('_PORT') && INJECTED_PORT.test(value));
}

/** A sentence for each. What it holds is not repeated: it may be a secret. */
export function unknownSettings(env: Environment): string[] {
  const secretFiles = [...metas].flatMap(([name, { secret }]) => (secret ? [name + FILE] : []));
  const known = new Set([...metas.keys(), ...secretFiles, ...OF_PROGRAMS]);
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === '' || known.has(name) || isInjected(name, value)) return [];
    const why = whyRefused(name, known);
    return why === undefined ? [] : [`${name}: is not a setting of relais${why}`];
  });
}

function whyRefused(name: string, known: ReadonlySet<string>): string | undefined {
  const bare = name.slice(0, -FILE.length);
  if (name.endsWith(FILE) && metas.has(bare)) return `: only a secret may come from a file, and ${bare} is none`;
  const meant = nearest(name, known);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return PREFIXES.test(name) ? ', though it is called like one (docs/settings.md has them all)' : undefined;
}
