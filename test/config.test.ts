import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { WrongSettings, apiKeysOf, describeConfig, loadConfig, missingFor as allMissing } from '../src/config.ts';
import { textOf } from '../src/messages/texts.ts';

/** For a process with a ledger. */
const missingFor = (given: Readonly<Record<string, string>>, roles: readonly string[]): string[] =>
  allMissing({ DATABASE_URL: 'postgres://db/relais', ...given }, roles).map((one) => textOf(one));

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof WrongSettings) return error.problems.map((one) => textOf(one));
    throw error;
  }
  return [];
};

test('with nothing set, every setting has its default', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({ DISBURSEMENT_QUIET_PERIOD: 60_000, UPSTREAM_RATE: 50, SERVICE_MODE: 'live' });
  expect(config.DISBURSEMENT_POLL).toEqual([2, 5, 10, 20, 40, 60, 120, 300, 600, 1800].map((s) => s * 1_000));
});

test('all errors are reported at once, each with the correct form', () => {
  const problems = problemsOf({
    UPSTREAM_TIMEOUT: '60',
    API_PORT: 'eighty',
    SERVICE_MODE: 'prod',
    DISBURSEMENT_POLL: '2s,soon',
    SERVICE_BASE_URL: 'somewhere',
  });
  expect(problems).toHaveLength(5);
  expect(problems.join('\n')).toContain(
    'UPSTREAM_TIMEOUT: not a duration: "60" (write it as 250ms, 30s, 10m, 24h or 30d)',
  );
  expect(problems.join('\n')).toContain('SERVICE_MODE: must be one of live, test');
  expect(problems.join('\n')).toContain('DISBURSEMENT_POLL: not a duration: "soon"');
});

const PASSWORD_WITH_PERCENT = 'redis://:50%@cache:6379';

test.for([
  ['REDIS_URL', 'nonsense', 'must be an address such as redis://host:6379'],
  ['REDIS_URL', 'http://127.0.0.1:6379', 'must be an address such as redis://host:6379'],
  ['REDIS_URL', 'redis://cache:6379/first', 'not a Redis database number: "first"'],
  ['REDIS_URL', PASSWORD_WITH_PERCENT, 'a % in its user or password is written %25'],
  ['REDIS_SENTINELS', 'banana', 'not host:port: "banana"'],
  ['REDIS_SENTINELS', 's1:26379,s2:', 'not host:port: "s2:"'],
  ['REDIS_SENTINELS', 's1:99999', 'not host:port: "s1:99999"'],
  ['DEFAULT_COUNTRY', 'XX', 'not a country: "XX" (write two capital letters, such as SN)'],
  ['DEFAULT_COUNTRY', 'Senegal', 'not a country: "Senegal"'],
  ['EXTRA_WITHDRAW_MODES', 'a b', 'not a withdraw mode: "a b"'],
  ['SMS_SENDER', 'S'.repeat(60), 'has 60 characters; 20 is the most'],
  ['SMS_SENDER', 'SHOP\u0007', 'contains the invisible character U+0007 at position 5: remove it'],
] as const)('%s=%s is invalid, and the correct form is named', ([name, value, told]) => {
  expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(`${name}: ${told}`)]);
});

test('sentinels are read as addresses, IPv6 too', () => {
  expect(loadConfig({ REDIS_SENTINELS: 's1:26379, [::1]:26380' }).REDIS_SENTINELS).toEqual([
    { host: 's1', port: 26_379 },
    { host: '::1', port: 26_380 },
  ]);
});

test('nodes of a cluster are read as addresses; it has no databases, and no sentinels', () => {
  const REDIS_CLUSTER = 'n1:7000,n2:7000';
  expect(loadConfig({ REDIS_CLUSTER }).REDIS_CLUSTER).toEqual([
    { host: 'n1', port: 7000 },
    { host: 'n2', port: 7000 },
  ]);
  expect(problemsOf({ REDIS_CLUSTER, REDIS_URL: 'redis://x/2' })).toEqual([
    expect.stringMatching(/^REDIS_CLUSTER: .*no databases/),
  ]);
  expect(problemsOf({ REDIS_CLUSTER, REDIS_SENTINELS: 's1:26379' })).toEqual([
    expect.stringMatching(/^REDIS_CLUSTER: .*not both/),
  ]);
});

test('an empty variable is one that is not set', () => {
  expect(loadConfig({ SERVICE_BASE_URL: '', API_PORT: '' }).API_PORT).toBe(3000);
});

test('a secret may come from a file, and one that cannot be read is named', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'key');
  writeFileSync(path, 'from-a-file\n');
  expect(loadConfig({ SERVICE_MASTER_KEY_FILE: path }).SERVICE_MASTER_KEY?.reveal()).toBe('from-a-file');
  expect(problemsOf({ SMS_APP_KEY_FILE: '/nowhere/key' }).join()).toContain('SMS_APP_KEY_FILE: cannot be read');
});

test('a file that a setting names may be saved by Notepad or PowerShell', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'file');
  const forms = [Buffer.from('\ufeff{"SN": 20}'), Buffer.from('\ufeff{"SN": 20}', 'utf16le')];
  for (const bytes of forms) {
    writeFileSync(path, bytes);
    expect(loadConfig({ SMS_PRICES_FILE: path }).SMS_PRICES_FILE?.holds).toEqual({ SN: 20 });
  }
  writeFileSync(path, '\ufefffrom-a-file\r\n', 'utf16le');
  expect(loadConfig({ SERVICE_MASTER_KEY_FILE: path }).SERVICE_MASTER_KEY?.reveal()).toBe('from-a-file');
});

test('files named by settings are read with them, and their errors are reported together', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'file');
  const told = (text: string, name = 'ACCOUNTS_FILE'): readonly string[] => {
    writeFileSync(path, text);
    return problemsOf({ [name]: path, API_PORT: 'many' });
  };
  const others = [expect.stringContaining('API_PORT: ')];
  const about = (words: string, name = 'ACCOUNTS_FILE') =>
    expect.arrayContaining([...others, expect.stringContaining(`${name}: ${path}: ${words}`)]);
  expect(told('{"shop": {"masterKey": "hush-hush"')).toEqual(about('is not JSON'));
  expect(told('{"Shop": {}}')).toEqual(about('Shop: an account is named in lower-case letters'));
  expect(told('{"shop": {"mode": "prod"}}')).toEqual(about('shop.mode: '));
  expect(told('{"shop": {"key": "hush-hush"}}').join()).not.toContain('hush');
  expect(told('{"XX": 20}', 'SMS_PRICES_FILE')).toEqual(about('"XX" is not a country', 'SMS_PRICES_FILE'));
  expect(told('hello', 'REDIS_CA_FILE')).toEqual(about('holds no certificate', 'REDIS_CA_FILE'));
  for (const name of ['ACCOUNTS_FILE', 'SMS_PRICES_FILE', 'REDIS_CA_FILE'])
    expect(problemsOf({ [name]: '/nowhere' })).toEqual([
      expect.stringContaining(`${name}: /nowhere: cannot be read`),
    ]);
});

test('a limit in XOF of SMS costs needs their prices', () => {
  for (const [name, value] of [
    ['SMS_BUDGET_DAY', '5000'],
    ['SMS_BUDGET_MONTH', '5000'],
    ['CAMPAIGN_APPROVAL_ABOVE', '1000recipients,50000xof'],
  ] as const) {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(`${name}: needs SMS_PRICES_FILE`)]);
  }
  expect(problemsOf({ CAMPAIGN_APPROVAL_ABOVE: '50000' })).toEqual([expect.stringContaining('1000recipients')]);
  expect(loadConfig({ SMS_BUDGET_DAY: 'off', CAMPAIGN_APPROVAL_ABOVE: '1000recipients' })).toMatchObject({
    SMS_BUDGET_DAY: null,
    CAMPAIGN_APPROVAL_ABOVE: { recipients: 1_000 },
  });
});

test('the sender of any account is written as opt-outs name it: without space around it, and no longer than one may be', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'file');
  const write = (smsSender: string): void => writeFileSync(path, JSON.stringify({ shop: { smsSender } }));
  write(' SHOP ');
  expect(loadConfig({ ACCOUNTS_FILE: path, SMS_SENDER: ' SHOP ' })).toMatchObject({
    SMS_SENDER: 'SHOP',
    ACCOUNTS_FILE: { holds: { shop: { smsSender: 'SHOP' } } },
  });
  write('S'.repeat(21));
  expect(problemsOf({ ACCOUNTS_FILE: path }).join()).toContain('shop.smsSender: has 21 characters');
});

test('of a file only its place is shown', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'file');
  writeFileSync(path, '{"shop": {"masterKey": "canary-key", "smsSender": "canary-sender"}}');
  const config = loadConfig({ ACCOUNTS_FILE: path });
  expect(JSON.parse(JSON.stringify(describeConfig(config)))).toMatchObject({ ACCOUNTS_FILE: path });
  expect(JSON.stringify(describeConfig(config)) + inspect(config)).not.toContain('canary');
});

const KEYS = {
  payment: { SERVICE_MASTER_KEY: 'm', SERVICE_PRIVATE_KEY: 'p', SERVICE_TOKEN: 't' },
  messaging: { SMS_USER_KEY: 'u', SMS_SECRET_KEY: 's', SMS_APP_KEY: 'a' },
} as const;
const ADDRESSES = { SERVICE_BASE_URL: 'https://pay.example', SERVICE_CRM_URL: 'https://crm.example' };
const SECRETS = { CALLBACK_SECRET: 'c'.repeat(24), SEALING_SECRET: 's'.repeat(24) };
const namesOf = (problems: readonly string[]): string[] => problems.map((line) => line.split(':')[0] ?? '');

describe('required settings of a role', () => {
  test('is named at once where nothing is set, the keys as either the one whole set or the other', () => {
    const missing = missingFor({}, ['worker', 'api', 'webhooks']);
    expect(namesOf(missing)).toEqual([
      'either SERVICE_MASTER_KEY, SERVICE_PRIVATE_KEY and SERVICE_TOKEN, or SMS_USER_KEY, SMS_SECRET_KEY and SMS_APP_KEY',
      'SERVICE_BASE_URL',
      'SERVICE_CRM_URL',
      'CALLBACK_SECRET',
      'PUBLIC_URL',
      'SEALING_SECRET',
      'API_KEYS',
    ]);
    for (const line of missing) expect(line).toMatch(/is not set|are not set|is required/);
    expect(missingFor({}, ['api'])).toEqual([]);
    expect(namesOf(missingFor({}, ['webhooks']))).toEqual(['CALLBACK_SECRET']);
  });

  test.for(['worker', 'webhooks', 'api'])('is the ledger, for the role %s too', (role) => {
    expect(namesOf(allMissing({ CALLBACK_SECRET: LONG }, [role]).map((one) => textOf(one)))).toContain(
      'DATABASE_URL',
    );
  });

  test('of keys it is the rest of a set that was begun', () => {
    const whole = { ...ADDRESSES, ...SECRETS, ...KEYS.messaging, PUBLIC_URL: 'https://hooks.example' };
    expect(namesOf(missingFor({ ...whole, SERVICE_TOKEN: 't' }, ['worker']))).toEqual([
      'SERVICE_MASTER_KEY',
      'SERVICE_PRIVATE_KEY',
    ]);
    expect(missingFor({ ...whole, ...KEYS.payment }, ['worker'])).toEqual([]);
    // The receiver verifies callbacks with this key.
    expect(missingFor({ ...SECRETS, SERVICE_MASTER_KEY: 'm' }, ['webhooks'])).toEqual([]);
  });

  test('is the address for existing keys, and for payments the callback address', () => {
    const { SERVICE_BASE_URL, SERVICE_CRM_URL } = ADDRESSES;
    const { SEALING_SECRET } = SECRETS;
    expect(missingFor({ ...KEYS.messaging, SERVICE_CRM_URL, SEALING_SECRET }, ['worker'])).toEqual([]);
    expect(namesOf(missingFor({ ...KEYS.payment, SERVICE_BASE_URL, SEALING_SECRET }, ['worker']))).toEqual([
      'CALLBACK_SECRET',
      'PUBLIC_URL',
    ]);
    const here = { SERVICE_BASE_URL: 'http://127.0.0.1:4010', CALLBACK_SECRET: 'c' };
    expect(missingFor({ ...KEYS.payment, ...here }, ['worker'])).toEqual([]);
  });

  test('is nothing of main where a file gives accounts, and each of these needs a whole set too', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'accounts.json');
    const missing = (accounts: object): string[] => {
      writeFileSync(path, JSON.stringify(accounts));
      const { SERVICE_CRM_URL } = ADDRESSES;
      const { SEALING_SECRET } = SECRETS;
      return missingFor({ ACCOUNTS_FILE: path, SERVICE_CRM_URL, SEALING_SECRET }, ['worker']);
    };
    const texts = { smsUserKey: 'u', smsSecretKey: 's', smsAppKey: 'a' };
    expect(missing({ shop: texts })).toEqual([]);
    expect(missing({ shop: { ...texts, smsAppKey: undefined } })).toEqual(['ACCOUNTS_FILE: shop lacks smsAppKey']);
    expect(missing({ shop: texts, till: {} })).toEqual([
      'ACCOUNTS_FILE: till lacks either masterKey, privateKey and token, or smsUserKey, smsSecretKey and smsAppKey',
    ]);
    expect(namesOf(missing({ shop: texts, till: { masterKey: 'm', privateKey: 'p', token: 't' } }))).toEqual([
      'SERVICE_BASE_URL',
      'CALLBACK_SECRET',
      'PUBLIC_URL',
    ]);
    expect(namesOf(missing({}))[0]).toContain('either SERVICE_MASTER_KEY');
  });
});

describe('an unknown name with our prefix', () => {
  test.for([
    ['UPSTREAM_TIMOUT', 'UPSTREAM_TIMEOUT'],
    ['DISBURSEMENT_LIMITS', 'DISBURSEMENT_LIMIT'],
    ['REDIS_URI', 'REDIS_URL'],
    ['API_KEY', 'API_KEYS'],
    ['HOSTS', 'HOST'],
    ['SMS_APP_KEY_FIEL', 'SMS_APP_KEY_FILE'],
    ['SERVICE_URL', undefined],
    ['RELAIS_API_KEYS', 'RELAIS_API_KEY'],
    ['RELAIS_COLOUR', undefined],
    ['MAX_TEXTS_EACH_YEAR', undefined],
  ] as const)('%s is refused', ([name, meant]) => {
    const told = meant === undefined ? /is not a setting of relais/ : `did you mean ${meant}?`;
    expect(problemsOf({ [name]: 'hush-hush' })).toEqual([
      expect.stringMatching(`^${name}: is not a setting of relais`),
    ]);
    expect(problemsOf({ [name]: 'hush-hush' }).join()).toMatch(told);
    expect(problemsOf({ [name]: 'hush-hush' }).join()).not.toContain('hush');
    expect(problemsOf({ [name]: '' })).toEqual([]);
  });

  test('is reported with all other errors', () => {
    expect(problemsOf({ UPSTREAM_TIMOUT: '3s', API_PORT: 'many' })).toHaveLength(2);
  });

  test('is refused as a file of a setting that is no secret', () => {
    expect(problemsOf({ REDIS_URL_FILE: '/run/secrets/redis' })).toEqual([
      'REDIS_URL_FILE: is not a setting of relais: only a secret may come from a file, and REDIS_URL is none',
    ]);
  });

  test('is accepted with another prefix', () => {
    const others = 'PATH HOME PORT TZ TERM LANG USER HOSTNAME NODE_ENV LOGNAME REDIS_HOST REDIS_PORT PGHOST CI';
    expect(problemsOf(Object.fromEntries(others.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });

  test('is let be where our own programs read it', () => {
    expect(
      problemsOf({
        RELAIS_URL: 'http://127.0.0.1:3000',
        RELAIS_API_KEY: 'dev',
        RELAIS_DEEP: '1',
        RELAIS_SEED: '7',
        REDIS_SERVER_BIN: '/usr/bin/redis-server',
      }),
    ).toEqual([]);
  });

  test('is accepted if Kubernetes sets it for its services, and so is one of our ports', () => {
    const config = loadConfig({
      RELAIS_SERVICE_HOST: '10.0.0.1',
      RELAIS_SERVICE_PORT: '3000',
      RELAIS_SERVICE_PORT_HTTP: '3000',
      RELAIS_PORT: 'tcp://10.0.0.1:3000',
      RELAIS_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
      RELAIS_PORT_3000_TCP_ADDR: '10.0.0.1',
      // Set by Kubernetes for services named api and webhooks.
      API_PORT: 'tcp://10.0.0.2:80',
      WEBHOOKS_PORT: 'tcp://10.0.0.3:80',
    });
    expect(config).toMatchObject({ API_PORT: 3000, WEBHOOKS_PORT: 3001 });
    expect(problemsOf({ RELAIS_PORT: '3000' })).toEqual([expect.stringContaining('RELAIS_PORT: is not a setting')]);
  });
});

test.for([
  ['HISTORY_URL', /DATABASE_URL/],
  ['HISTORY_URL_FILE', /DATABASE_URL/],
  ['HISTORY_AFTER', /RETENTION_PAYMENTS/],
  ['HISTORY_TEXTS_AFTER', /RETENTION_SMS/],
  ['IDENTITY_KEEP', /IDEMPOTENCY_KEEP/],
  ['DURABILITY', /checks PostgreSQL/],
  ['REDIS_WAIT_REPLICAS', /synchronous_standby_names/],
  ['REDIS_PATIENCE', /DATABASE_PATIENCE/],
  ['SILENCE_LIMIT', /needs no limit/],
  ['AUDIT_MOST', /AUDIT_KEEP/],
] as const)('the removed setting %s is refused, and its replacement is named', ([name, instead]) => {
  expect(problemsOf({ [name]: 'hush-hush' })).toEqual([expect.stringMatching(new RegExp(`^${name}: was removed: `))]);
  expect(problemsOf({ [name]: 'hush-hush' }).join()).toMatch(instead);
  expect(problemsOf({ [name]: 'hush-hush' }).join()).not.toContain('hush');
  expect(problemsOf({ [name]: '' })).toEqual([]);
});

const LONG = 'a'.repeat(24);
/** Reasons not to count as local: other machines can reach the process, or it uses the real provider. */
const outside: readonly Record<string, string>[] = [
  { HOST: '0.0.0.0' },
  { PUBLIC_URL: 'https://hooks.example' },
  { SERVICE_BASE_URL: 'https://pay.example' },
  { SERVICE_CRM_URL: 'https://crm.example' },
];

test.for(outside)('off loopback (%o) a short secret is refused, with the required length', (place) => {
  expect(problemsOf({ ...place, CALLBACK_SECRET: 'a', SEALING_SECRET: `${LONG},b` })).toEqual([
    'CALLBACK_SECRET: has 1 characters; 24 is the least (openssl rand -hex 32)',
    'SEALING_SECRET: number 2 has 1 characters; 24 is the least (openssl rand -hex 32)',
  ]);
  expect(problemsOf({ ...place, CALLBACK_SECRET: LONG, SEALING_SECRET: LONG })).toEqual([]);
  const keys = missingFor({ ...place, SEALING_SECRET: LONG, API_KEYS: `w:read:1,x:read:sha256:${'0'.repeat(64)}` }, [
    'api',
  ]);
  expect(keys).toEqual([
    expect.stringContaining('API_KEYS: entry 1: the secret of "w" has 1 characters; 24 is the least'),
  ]);
  expect(missingFor({ ...place, SEALING_SECRET: LONG }, ['api'])).toEqual([
    expect.stringContaining('API_KEYS: is required'),
  ]);
  expect(missingFor({ ...place, API_KEYS: `w:read:${LONG}` }, ['api'])).toEqual([
    expect.stringContaining('SEALING_SECRET: is not set'),
  ]);
});

test('on this machine alone a short secret will do, and keys are there already', () => {
  const here = { SERVICE_BASE_URL: 'http://127.0.0.1:4010', HOST: 'localhost', PUBLIC_URL: 'http://[::1]:3001' };
  expect(problemsOf({ ...here, CALLBACK_SECRET: 'a' })).toEqual([]);
  expect(missingFor(here, ['api'])).toEqual([]);
  expect(missingFor({ ...here, API_KEYS: 'w:read:1' }, ['api'])).toEqual([]);
  expect(apiKeysOf(loadConfig(here)).map(({ name }) => name)).toEqual(['dev', 'checker']);
});

test('a password in an address is never shown, wherever it is', () => {
  const shown = describeConfig(loadConfig({ REDIS_URL: 'redis://relais:canary@canary:canary@10.0.0.1:6379/0' }));
  expect(shown['REDIS_URL']).toBe('redis://relais:[secret]@10.0.0.1:6379/0');
});

test('a secret is shown only as set or missing', () => {
  const shown = JSON.stringify(describeConfig(loadConfig({ SERVICE_MASTER_KEY: 'canary-key' })));
  expect(shown).not.toContain('canary-key');
  expect(shown).toContain('"SERVICE_MASTER_KEY":"set"');
  expect(shown).toContain('"SERVICE_TOKEN":"missing"');
  const withPassword = describeConfig(loadConfig({ REDIS_URL: 'rediss://relais:canary-password@redis:6379/0' }));
  expect(withPassword['REDIS_URL']).toBe('rediss://relais:[secret]@redis:6379/0');
});

describe('a provider of identities', () => {
  const WHOLE = {
    OIDC_ISSUER: 'https://login.example.sn',
    OIDC_CLIENT_ID: 'relais',
    OIDC_CLIENT_SECRET: 'a-secret',
    OIDC_GROUPS: 'staff:read',
  };

  test('is set whole, or not at all', () => {
    expect(problemsOf(WHOLE)).toEqual([]);
    for (const name of Object.keys(WHOLE)) {
      expect(problemsOf({ ...WHOLE, [name]: undefined })).toEqual([expect.stringMatching(`^${name}: is not set`)]);
    }
  });

  test.for([
    ['OIDC_ISSUER', 'login.example.sn', 'must be an address'],
    ['OIDC_ISSUER', 'http://login.example.sn', 'must begin with https://'],
    ['OIDC_GROUPS', 'staff', 'entry 1: is not of that form'],
  ] as const)('%s is not %s', ([name, value, why]) => {
    expect(problemsOf({ ...WHOLE, [name]: value })).toEqual([expect.stringContaining(`${name}: ${why}`)]);
    expect(problemsOf({ ...WHOLE, OIDC_ISSUER: 'http://127.0.0.1:8080' })).toEqual([]);
  });
});
