/** What a worker cannot do without: one whole set of keys, the address that goes with it, and for payments a way back. */
import { isLoopbackHost } from './events/outgoing/endpoint.ts';
import { metas, settings } from './settings/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys of each area, as they are called in the environment and in ACCOUNTS_FILE. */
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
  /** Sentences about keys. */
  readonly problems: readonly string[];
  /** Settings that must be there beside them. */
  readonly names: readonly string[];
}

export function needsOfWorker(given: Environment): Needs {
  const ofMain: HasKey = (setting) => given[setting] !== undefined;
  const others = accountsIn(given).map(([name, account]) => {
    const has: HasKey = (_, field) => (account as Readonly<Record<string, unknown>>)[field] !== undefined;
    return { name, has };
  });
  const begun = AREAS.filter((area) => [ofMain, ...others.map(({ has }) => has)].some((has) => isBegun(area, has)));
  // Which of them it will be is not known yet: both are named.
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

/** None where the file cannot be read: that is told already. */
function accountsIn({ ACCOUNTS_FILE: path }: Environment) {
  return Object.entries(settings.shape.ACCOUNTS_FILE.safeParse(path).data?.holds ?? {});
}

function isBegun({ keys }: Area, has: HasKey): boolean {
  return Object.entries(keys).some(([setting, field]) => has(setting, field));
}

function keysOfMain(has: HasKey, thereAreOthers: boolean): string[] {
  const begun = AREAS.filter((area) => isBegun(area, has));
  if (begun.length === 0 && !thereAreOthers)
    return [`${eitherOr(({ keys }) => Object.keys(keys))}: are not set, and ACCOUNTS_FILE gives no account`];
  return begun.flatMap(({ keys }) =>
    Object.entries(keys)
      .filter(([setting, field]) => !has(setting, field))
      .map(([setting]) => `${setting}: is not set (${metas.get(setting)?.help})`),
  );
}

function keysOfOther(name: string, has: HasKey): string[] {
  const begun = AREAS.filter((area) => isBegun(area, has));
  if (begun.length === 0) return [`ACCOUNTS_FILE: ${name} lacks ${eitherOr(({ keys }) => Object.values(keys))}`];
  const lacks = begun.flatMap(({ keys }) =>
    Object.entries(keys).flatMap(([setting, field]) => (has(setting, field) ? [] : [field])),
  );
  return lacks.length === 0 ? [] : [`ACCOUNTS_FILE: ${name} lacks ${lacks.join(', ')}`];
}

function eitherOr(namesOf: (area: Area) => readonly string[]): string {
  const [first = '', second = ''] = AREAS.map((area) =>
    namesOf(area)
      .join(', ')
      .replace(/, ([^,]*)$/, ' and $1'),
  );
  return `either ${first}, or ${second}`;
}

/** Then it finds the receiver on this machine too, and nobody has to say where. */
function isServiceHere({ SERVICE_BASE_URL: url }: Environment): boolean {
  return url !== undefined && URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
