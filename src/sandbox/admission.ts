/** The rules of the door: method, content type, keys (interface: General conventions; Authentication). */
import { type Answer, type Family, refuseIn } from './answers.ts';
import type { Area } from './operations.ts';
import { smsRefusal } from './sms-codes.ts';
import { type Ask, undocumentedStatus, type World } from './world.ts';

const SMS_ACCEPT = 'application/vnd.apisms.v1+json';

/** Refuses a request that may not come in; undefined lets it pass. */
export function refuseAtDoor(ask: Ask, method: string | undefined, world: World): Answer | undefined {
  const { endpoint, operation } = ask;
  if (method !== endpoint.method) {
    world.books.breach(operation, `method ${method}, not ${endpoint.method}`);
    return refuseIn(endpoint.family, '405', 'Method not allowed', 405);
  }
  return endpoint.area === 'crm' ? refuseSms(ask, world) : (refuseContentType(ask, world) ?? refuseKeys(ask, world));
}

export function refusePath(area: Area, path: string, world: World): Answer {
  world.books.breach('unknown path', path);
  return refuseIn(area === 'crm' ? 'sms' : 'payment', '404', 'Not found', 404);
}

/** The SMS login may call its form JSON (the page does), so only the two others must say the truth. */
function refuseSms(ask: Ask, world: World): Answer | undefined {
  if (ask.headers['accept'] !== SMS_ACCEPT) {
    world.books.breach(ask.operation, `Accept is not ${SMS_ACCEPT}`);
    return smsRefusal('ERROR_104', world);
  }
  return ask.operation === 'sms.login' ? undefined : refuseContentType(ask, world);
}

function refuseContentType(ask: Ask, { books }: World): Answer | undefined {
  const { endpoint, headers, operation, text } = ask;
  if (endpoint.method === 'GET') {
    if (text !== '') books.breach(operation, 'a GET with a body');
    return undefined;
  }
  const [type = ''] = String(headers['content-type']).split(';');
  if (type.trim().toLowerCase() === 'application/json') return undefined;
  books.breach(operation, `Content-Type is ${type}, not application/json`);
  return refuseIn(endpoint.family, '415', 'Content-Type must be application/json', 415);
}

function refuseKeys(ask: Ask, world: World): Answer | undefined {
  const { masterKey, privateKey, token } = world.credentials;
  const expected = [
    [`${world.headerPrefix}-master-key`, masterKey],
    [`${world.headerPrefix}-private-key`, privateKey],
    [`${world.headerPrefix}-token`, token],
  ] as const;
  const missing = expected.find(([name]) => !ask.headers[name]);
  if (missing !== undefined) {
    world.books.breach(ask.operation, `the header ${missing[0]} is missing`);
    return keyRefusal(ask.endpoint.family, 'missing', world);
  }
  if (expected.some(([name, value]) => ask.headers[name] !== value))
    return keyRefusal(ask.endpoint.family, 'wrong', world);
  return refuseMode(ask, world);
}

/** Test keys open the sandbox paths, live keys the others; operations with one path are open to both. */
function refuseMode({ endpoint, operation }: Ask, world: World): Answer | undefined {
  const { keyMode } = world.settings.values;
  if (keyMode === 'test' && operation.startsWith('payment-request.'))
    return refuseIn('payment-request', '4001', 'The integration mode must be live', undocumentedStatus(world, 403));
  if (keyMode === 'any' || endpoint.paths.test === undefined || endpoint.mode === keyMode) return undefined;
  return keyRefusal(endpoint.family, 'wrong', world);
}

/** interface: Errors. Only payment requests have codes for bad keys; create disbursement has 401. */
function keyRefusal(family: Family, fault: 'missing' | 'wrong', world: World): Answer {
  const text = fault === 'missing' ? 'Master key, private key or token missing' : 'Invalid keys';
  if (family === 'payment-request')
    return refuseIn(family, fault === 'missing' ? '4000' : '1000', text, undocumentedStatus(world, 401));
  if (family === 'flag') return refuseIn(family, '', 'User not found', undocumentedStatus(world, 401));
  return refuseIn(family, '401', text, 200);
}
