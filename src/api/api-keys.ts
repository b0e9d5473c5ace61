/** API keys that are created, listed and revoked at run time. */
import { z } from 'zod';
import { derivedId } from '../lib/ids.ts';
import { comparable } from '../lib/letters.ts';
import type { MadeKey } from '../ledger/api-keys.ts';
import { accountName } from '../kinds/request-pieces.ts';
import { MADE, type ApiKey, digestOf, hasRole, personOf, type Role, roles } from './keys.ts';
import { apiKeyList, apiKeyWithSecret } from './openapi/answers-audit.ts';
import { answer, json, type AnyAsked, route } from './route.ts';
import { ApiProblem, invalid } from './problem.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';

const SECRET_BYTES = 32;

const holder = z.string().regex(/^[\w.@+-]{1,64}$/, says('person_name'));

const keyRequest = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, says('key_name'))
      .meta({ description: 'Name of the key in the audit log.', example: 'awa-phone' }),
    roles: z
      .array(z.enum(roles))
      .min(1)
      .max(roles.length)
      .meta({ description: 'Roles of the key; `admin` includes no other role.', example: ['read', 'approve'] }),
    accounts: z
      .array(accountName)
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Only these accounts. Default: all accounts.', example: ['main'] }),
    person: holder.optional().meta({
      description:
        'Person who holds the key: for approvals, two keys of one person count as one. Give this or `service`.',
      example: 'awa',
    }),
    service: holder.optional().meta({ description: 'Program that uses the key.' }),
    expiresAt: z.iso
      .datetime({ offset: true, error: says('time') })
      .optional()
      .meta({
        description: 'Expiry time of the key. Default: valid until it is revoked.',
        example: '2099-01-01T00:00:00Z',
      }),
  })
  .meta({ id: 'ApiKeyRequest' });

type KeyRequest = z.output<typeof keyRequest>;

const about = { tag: 'Operating', role: 'admin', scope: 'all' } as const;

const createKey = route(
  {
    ...about,
    method: 'post',
    path: '/v1/keys',
    id: 'createKey',
    fresh: true,
    cli: {
      name: 'keys create',
      example: '--name awa-phone --roles read,approve --person awa --accounts main',
      next: 'Store the secret: it is not shown again.',
    },
    summary: 'Create an API key',
    description:
      'Every process accepts the key within three seconds. The secret is shown only in this answer; relais stores ' +
      'its hash. Nobody can grant a role that they do not have (403). For approvals, two keys of one person count ' +
      'as one, and so do the creator of a key and its holder.',
    body: json(keyRequest),
    // After a restore, the caller's key may have been revoked since the backup: a key that it creates would stay.
    releases: true,
    answers: { 201: answer('Made: keep the secret.', apiKeyWithSecret) },
    problems: ['wrong-state'],
  },
  async ({ context, key, body, act }) => {
    requireSound(body, context);
    const now = context.clock.now();
    const secret = `${MADE}${context.random.hex(SECRET_BYTES)}`;
    const made: MadeKey = {
      ...body,
      id: derivedId('key', context.random.hex(16)),
      expiresAt: body.expiresAt === undefined ? undefined : Date.parse(body.expiresAt),
      digest: digestOf(secret).toString('hex'),
      createdAt: now,
      madeBy: personOf(key),
    };
    await context.keyRing.refresh();
    requireMayGive(key, made);
    requireOwnName(made, [...context.keyRing.fixed, ...(await context.apiKeys.all())]);
    const { name, roles: given, accounts, person, service } = made;
    const facts = { name, roles: given, accounts, person, service, expiresAt: body.expiresAt };
    if (!(await context.apiKeys.add(made, act(made.id, facts)))) {
      throw new ApiProblem('wrong-state', message('too_many_keys'), {
        rule: 'limit',
      });
    }
    await context.keyRing.refresh();
    return { ...view(made), secret };
  },
);

const listKeys = route(
  {
    ...about,
    method: 'get',
    path: '/v1/keys',
    id: 'listKeys',
    cli: { name: 'keys list', columns: ['id', 'name', 'roles', 'person', 'service', 'expiresAt', 'revokedAt'] },
    summary: 'List API keys',
    description: 'Keys of the settings, run-time keys and revoked keys, without their secrets.',
    answers: { 200: answer('The newest first, those of the settings last.', apiKeyList) },
  },
  async ({ context }) => ({
    items: [...(await context.apiKeys.all()).map(view), ...context.keyRing.fixed.map(ofSettings)],
    next: null,
  }),
);

const revokeKey = route(
  {
    ...about,
    method: 'delete',
    path: '/v1/keys/{id}',
    id: 'revokeKey',
    fresh: true,
    cli: { name: 'keys revoke', asks: 'Revoke the key {id}?', example: 'key_0f6c8d4b2a1e49578c3d' },
    summary: 'Revoke an API key',
    description:
      'Every process refuses the key within three seconds. Remove a key of the settings from the settings.',
    answers: { 204: { says: 'It is revoked.' } },
  },
  async ({ context, params: { id }, act }) => {
    const known = (await context.apiKeys.all()).find((one) => one.id === id);
    if (!known) throw new ApiProblem('not-found', message('key_not_found', { id: id.slice(0, 80) }));
    if (known.revokedAt === undefined)
      await context.apiKeys.revoke(id, context.clock.now(), act(id, { name: known.name }));
    await context.keyRing.refresh();
    return undefined;
  },
);

function requireSound({ person, service, accounts = [] }: KeyRequest, { accountNames }: AnyAsked['context']): void {
  if ((person === undefined) === (service === undefined)) {
    throw invalid([{ pointer: '/person', message: message('key_or_service') }]);
  }
  const unknown = accounts.findIndex((name) => !accountNames.includes(name));
  if (unknown === -1) return;
  throw invalid([
    {
      pointer: `/accounts/${unknown}`,
      message: message('configured_account', { accounts: accountNames.join(', ') }),
    },
  ]);
}

/** With another key of the same person, one person would have the roles of both. */
function requireMayGive(key: ApiKey, made: MadeKey): void {
  if (comparable(holderOf(made)) !== comparable(personOf(key))) return;
  const more = made.roles.filter((role) => !hasRole(key, role as Role));
  if (more.length === 0) return;
  const detail = message('other_key_lacks_role', { key: key.name, person: personOf(key), roles: more.join(', ') });
  throw new ApiProblem('forbidden', detail, { rule: 'own-roles' });
}

/** Rates, endpoints and the audit log refer to the name of a key. */
function requireOwnName(made: MadeKey, all: readonly (ApiKey | MadeKey)[]): void {
  const other = all.find((one) => one.name === made.name && holderOf(one) !== holderOf(made));
  if (!other) return;
  const detail = message('key_name_taken', { holder: holderOf(other), name: made.name });
  throw new ApiProblem('wrong-state', detail, { rule: 'identity' });
}

function holderOf(key: Pick<MadeKey, 'name' | 'person' | 'service'>): string {
  return key.person ?? key.service ?? key.name;
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

function view(key: MadeKey) {
  const { id, name, roles: given, accounts, person, service, createdAt, madeBy, expiresAt, revokedAt } = key;
  return {
    id,
    name,
    roles: given,
    accounts: accounts ?? null,
    person: person ?? null,
    service: service ?? null,
    createdAt: iso(createdAt),
    createdBy: madeBy,
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
  };
}

function ofSettings({ name, person, roles: given, accounts }: ApiKey) {
  return {
    id: null,
    name,
    roles: [...given],
    accounts: accounts ? [...accounts] : null,
    person: person ?? null,
    service: null,
    createdAt: null,
    createdBy: 'settings',
    expiresAt: null,
    revokedAt: null,
  };
}

export const keyRoutes = [createKey, listKeys, revokeKey];
