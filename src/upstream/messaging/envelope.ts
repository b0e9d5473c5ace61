import type { Answer, Reading, Taken } from '../exchange.ts';
import { codeOfStatus, type FailureCode, listedCode } from '../failures.ts';
import { type JsonObject, readText } from '../json.ts';
import { tellsOfSent } from './item-code.ts';

const SUCCESS = new Set(['00', 'success']);
const TOKEN_CODES: ReadonlySet<string> = new Set([
  'ERROR_121',
  'ERROR_122',
  'ERROR_123',
  'ERROR_124',
  'token_refused',
]);

/** Whether the bearer was refused: then the request was turned away before any work, and may be repeated. */
export function isTokenRefusal(code: string): boolean {
  return TOKEN_CODES.has(code);
}

/**
 * Reads one answer of the messaging area. The HTTP statuses of its errors are not told, so a listed code decides at
 * any status; the message, which is misspelt in places, never does. A refusal beside texts that were sent is none.
 */
export function readSms<T>(answer: Answer, take: (body: JsonObject) => Taken<T> | undefined): Reading<T> {
  const { body, status, problem } = answer;
  if (!body) return { code: codeWithoutBody(status), message: problem };
  const upstreamCode = readText(body['code']);
  const message = readText(body['description']) ?? readText(body['message']);
  const listed = upstreamCode === undefined ? undefined : listedCode(upstreamCode);
  if (listed || !isSuccess(upstreamCode, body)) {
    // Sent again on the strength of such a refusal, the texts in it would go out twice.
    const code = tellsOfSent(body) ? 'unreadable' : (listed ?? codeOfFailure(status, upstreamCode));
    return { code, upstreamCode, message };
  }
  const taken = status >= 200 && status < 300 ? take(body) : undefined;
  return taken ?? { code: 'unreadable', message: 'a success without its fields' };
}

function isSuccess(code: string | undefined, body: JsonObject): boolean {
  return code === undefined ? readText(body['message']) === 'success' : SUCCESS.has(code);
}

function codeOfFailure(status: number, upstreamCode: string | undefined): FailureCode {
  const byStatus = codeWithoutBody(status);
  return byStatus === 'unreadable' && upstreamCode !== undefined ? 'unlisted_code' : byStatus;
}

/** Here a 401 is about the bearer, and a 429 means that nothing was sent even when it names no pause. */
function codeWithoutBody(status: number): FailureCode {
  if (status === 401) return 'token_refused';
  return status === 429 ? 'throttled' : codeOfStatus(status);
}
