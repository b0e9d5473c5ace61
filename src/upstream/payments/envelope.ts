import type { Answer, FailureReading, Reading } from '../exchange.ts';
import { codeOfStatus, type FailureCode, listedCode } from '../failures.ts';
import { type JsonObject, readText } from '../json.ts';

/** What an envelope of the payment area says, before anybody asks what it means. */
interface Envelope {
  readonly ok: boolean;
  /** As upstream wrote it; absent in the envelopes that have only `success`. */
  readonly code?: string;
  /** Everything it says in words: which key holds the telling ones differs. */
  readonly text?: string;
}

/** How the failures of one operation differ from the table. */
export type Refine = (envelope: Envelope, code: FailureCode, status: number) => Partial<FailureReading>;

const CODE_KEYS = ['response_code', 'response-code'] as const;
const TEXT_KEYS = ['response_text', 'message', 'description'] as const;

/**
 * interface: General conventions. A code where there is one, in either spelling; else the boolean `success`. Two that
 * contradict each other are no envelope at all.
 */
function readEnvelope(body: JsonObject): Envelope | undefined {
  const written = CODE_KEYS.map((key) => readText(body[key])).filter((code) => code !== undefined);
  const [code] = written;
  const success = body['success'];
  if (code !== undefined && written.some((other) => other !== code)) return undefined;
  const says = new Set(TEXT_KEYS.map((key) => readText(body[key])).filter((text) => text !== undefined));
  const text = says.size === 0 ? {} : { text: [...says].join('; ') };
  if (code === undefined) return typeof success === 'boolean' ? { ok: success, ...text } : undefined;
  if (typeof success === 'boolean' && success !== (code === '00')) return undefined;
  return { ok: code === '00', code, ...text };
}

/**
 * Reads one answer of the payment area: success needs HTTP 2xx, the success code *and* the fields `take` looks for;
 * `take` gives undefined when one of them is missing or wrongly typed.
 */
export function readPayment<T>(
  answer: Answer,
  take: (body: JsonObject) => T | undefined,
  refine?: Refine,
): Reading<T> {
  const { body, status } = answer;
  const envelope = body && readEnvelope(body);
  if (!body || !envelope) return { code: codeOfStatus(status), message: answer.problem ?? 'no response code' };
  if (!envelope.ok) return readFailure(envelope, status, refine);
  const value = status >= 200 && status < 300 ? take(body) : undefined;
  return value === undefined ? { code: 'unreadable', message: 'a success without its fields' } : { value };
}

function readFailure(envelope: Envelope, status: number, refine?: Refine): FailureReading {
  const code = codeOf(envelope, status);
  return { code, upstreamCode: envelope.code, message: envelope.text, ...refine?.(envelope, code, status) };
}

/** The status decides where it says that the server broke or did not know us; elsewhere the code does. */
function codeOf(envelope: Envelope, status: number): FailureCode {
  const byStatus = codeOfStatus(status);
  if (byStatus !== 'unreadable') return byStatus;
  const listed = envelope.code === undefined ? undefined : listedCode(envelope.code);
  if (listed) return listed;
  return status >= 400 ? 'rejected' : 'unlisted_code';
}
