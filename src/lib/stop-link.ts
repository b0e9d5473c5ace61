/**
 * The opt-out link in an SMS: the value of `{{stop}}`.
 *
 *   <PUBLIC_URL>/s/<upload: 4><place: 4><signature: 10>     letters and digits, all of them of GSM-7
 *
 * It is short, because SMS are billed by segment, and contains no personal data: the upload of a campaign (a random
 * name), the position in it, and 59 bits of HMAC-SHA256 over both. An attacker who tries a thousand links a second
 * needs some ten million years to find a signed one.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { Secret, sameSecret } from './secret.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/** The variable for the link, whatever columns the file has. */
export const STOP = 'stop';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PATH = '/s/';
const [UPLOAD, PLACE, SIGNATURE] = [4, 4, 10];
const TOKEN = /^[0-9A-Za-z]{18}/;
/** A block has a thousand recipients at most, except the first, which is as large as the canary: ten thousand. */
const PER_SLICE = 1_024;
const PLACES = DIGITS.length ** PLACE;
/** Further positions of the first block: at the other end, from the last position down. */
const BEYOND = 9 * PER_SLICE;

/** The position of a recipient. */
export interface StopPlace {
  /** The name of the upload in links: four letters or digits. */
  readonly upload: string;
  /** The block in the upload, and the position in the block. */
  readonly slice: number;
  readonly index: number;
}

/** A name for an upload; `hex` is random. */
export function uploadName(hex: string): string {
  return inBase62(BigInt(`0x${hex}`), UPLOAD);
}

/** Throws if the upload is too large for short positions: fourteen million recipients. */
export function stopLink(publicUrl: string, secrets: readonly Secret[], place: StopPlace): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error('a link needs a secret');
  const names = place.upload + inBase62(BigInt(numberOf(place)), PLACE);
  return `${publicUrl}${PATH}${names}${signatureOf(secret, names)}`;
}

/** The position of a recipient in an upload with consecutive numbers. */
export function stopPlaceOf(number: number): Pick<StopPlace, 'slice' | 'index'> {
  return { slice: Math.floor(number / PER_SLICE), index: number % PER_SLICE };
}

/** Undefined: the position is not one of a numbered upload. */
export function numberOfStopPlace({ slice, index }: Pick<StopPlace, 'slice' | 'index'>): number | undefined {
  return index < PER_SLICE ? slice * PER_SLICE + index : undefined;
}

function numberOf({ slice, index }: StopPlace): number {
  const isIn = index < PER_SLICE;
  const at = isIn ? slice * PER_SLICE + index : PLACES - 1 - (index - PER_SLICE);
  const isShort = isIn ? at < PLACES - BEYOND : slice === 0 && at >= PLACES - BEYOND;
  if (!isShort) throw new MessageError(message('too_many_stop_links'));
  return at;
}

function placeAt(at: number): Pick<StopPlace, 'slice' | 'index'> {
  if (at >= PLACES - BEYOND) return { slice: 0, index: PER_SLICE + (PLACES - 1 - at) };
  return { slice: Math.floor(at / PER_SLICE), index: at % PER_SLICE };
}

/** As long as any link, but without a target: for counting and display. */
export function sampleStopLink(publicUrl: string): string {
  return `${publicUrl}${PATH}${'0'.repeat(UPLOAD + PLACE + SIGNATURE)}`;
}

/**
 * The token at the beginning of the last part of a path; '' if there is none. Phones may add the end of a sentence to
 * a link (`.`, `)`, a space); the signature shows whether the rest is the token.
 */
export function stopTokenIn(path: string): string {
  return TOKEN.exec(path)?.[0] ?? '';
}

/** Undefined: no secret signed the token. Every secret is tried for any text, to take constant time. */
export function readStopToken(secrets: readonly Secret[], token: string): StopPlace | undefined {
  const isOne = stopTokenIn(token) === token && token !== '';
  const names = isOne ? token.slice(0, UPLOAD + PLACE) : '';
  let signed = false;
  for (const secret of secrets) signed = sameSecret(signatureOf(secret, names), token.slice(names.length)) || signed;
  if (!isOne || !signed) return undefined;
  const digits = names.slice(UPLOAD).split('');
  const at = digits.reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0);
  return { upload: names.slice(0, UPLOAD), ...placeAt(at) };
}

/** The link keys are derived from the callback secrets and reveal nothing about them. */
export function stopSecrets(callbackSecrets: readonly Secret[]): Secret[] {
  return callbackSecrets.map(
    (secret) =>
      new Secret(Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'relais stop links', 32)).toString('hex')),
  );
}

function signatureOf(secret: Secret, names: string): string {
  const mac = createHmac('sha256', secret.reveal()).update(names).digest('hex');
  return inBase62(BigInt(`0x${mac}`), SIGNATURE);
}

/** The lowest digits of a number, `digits` of them. */
function inBase62(number: bigint, digits: number): string {
  const base = BigInt(DIGITS.length);
  let [rest, text] = [number, ''];
  while (text.length < digits) {
    text = DIGITS.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return text;
}
