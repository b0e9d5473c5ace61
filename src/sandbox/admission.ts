/** Checks method, content type and keys before the work (interface: General conventions; Authentication). */
import { type Answer, type Family, refuseIn, smsRefusal, undocumentedStatus } from './answers.ts';
import { type Host, hostOf } from './operations.ts';
import type { Call, Simulator } from './simulator.ts';

const SMS_ACCEPT = 'application/vnd.apisms.v1+json';

/** The refusal of a request, or undefined when it is admitted. */
export function refuseAdmission(call: Call, method: string | undefined, simulator: Simulator): Answer | undefined {
  const { endpoint, operation } = call;
  if (method !== endpoint.method) {
    simulator.records.breach(operation, `method ${method}, not ${endpoint.method}`);
    return refuseIn(endpoint.family, '405', 'Method not allowed', 405);
  }
  return hostOf(endpoint) === 'crm'
    ? refuseSms(call, simulator)
    : (refuseContentType(call, simulator) ?? refuseKeys(call, simulator));
}

export function refusePath(host: Host, path: string, simulator: Simulator): Answer {
  simulator.records.breach('unknown path', path);
  return refuseIn(host === 'crm' ? 'sms' : 'payment', '404', 'Not found', 404);
}

/** The SMS login may call its form JSON, as the interface does, so its content type is not checked. */
function refuseSms(call: Call, simulator: Simulator): Answer | undefined {
  if (call.headers['accept'] !== SMS_ACCEPT) {
    simulator.records.breach(call.operation, `Accept is not ${SMS_ACCEPT}`);
    return smsRefusal('ERROR_104', simulator);
  }
  return call.operation === 'sms.login' ? undefined : refuseContentType(call, simulator);
}

function refuseContentType(call: Call, { records }: Simulator): Answer | undefined {
  const { endpoint, headers, operation, text } = call;
  if (endpoint.method === 'GET') {
    if (text !== '') records.breach(operation, 'a GET with a body');
    return undefined;
  }
  const [type = ''] = String(headers['content-type']).split(';');
  if (type.trim().toLowerCase() === 'application/json') return undefined;
  records.breach(operation, `Content-Type is ${type}, not application/json`);
  return refuseIn(endpoint.family, '415', 'Content-Type must be application/json', 415);
}

function refuseKeys(call: Call, simulator: Simulator): Answer | undefined {
  const { masterKey, privateKey, token } = simulator.credentials;
  const expected = [
    [`${simulator.headerPrefix}-master-key`, masterKey],
    [`${simulator.headerPrefix}-private-key`, privateKey],
    [`${simulator.headerPrefix}-token`, token],
  ] as const;
  const missing = expected.find(([name]) => !call.headers[name]);
  if (missing !== undefined) {
    simulator.records.breach(call.operation, `the header ${missing[0]} is missing`);
    return keyRefusal(call.endpoint.family, 'missing', simulator);
  }
  if (expected.some(([name, value]) => call.headers[name] !== value))
    return keyRefusal(call.endpoint.family, 'wrong', simulator);
  return refuseMode(call, simulator);
}

/** Test keys open the sandbox paths, live keys the others; operations with a single path accept both. */
function refuseMode({ endpoint, operation }: Call, simulator: Simulator): Answer | undefined {
  const { keyMode } = simulator.settings.values;
  if (keyMode === 'test' && operation.startsWith('payment-request.'))
    return refuseIn(
      'payment-request',
      '4001',
      'The integration mode must be live',
      undocumentedStatus(simulator, 403),
    );
  if (keyMode === 'any' || endpoint.paths.test === undefined || endpoint.mode === keyMode) return undefined;
  return keyRefusal(endpoint.family, 'wrong', simulator);
}

/** interface: Errors. Only payment requests have codes for bad keys; create disbursement has 401. */
function keyRefusal(family: Family, fault: 'missing' | 'wrong', simulator: Simulator): Answer {
  const text = fault === 'missing' ? 'Master key, private key or token missing' : 'Invalid keys';
  if (family === 'payment-request')
    return refuseIn(family, fault === 'missing' ? '4000' : '1000', text, undocumentedStatus(simulator, 401));
  if (family === 'flag') return refuseIn(family, '', 'User not found', undocumentedStatus(simulator, 401));
  return refuseIn(family, '401', text, 200);
}
