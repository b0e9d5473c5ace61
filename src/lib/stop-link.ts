/**
 * The link by which a person that got a text says that they want no more: what `{{stop}}` in a text becomes.
 *
 *   <PUBLIC_URL>/s/<upload: 4><place: 4><signature: 10>     letters and digits, all of them of GSM-7
 *
 * It is short, because it is paid for by the segment, and names nobody: which upload of a campaign (a random name), the
 * place in it, and 59 bits of HMAC-SHA256 over both. Somebody that tries a thousand links a second finds one that is
 * signed after some ten million years.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { Secret, sameSecret } from './secret.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/** The variable of a text that stands for the link, whatever columns the file has. */
export const STOP = 'stop';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PATH = '/s/';
const [UPLOAD, PLACE, SIGNATURE] = [4, 4, 10];
const TOKEN = /^[0-9A-Za-z]{18}/;
/** A slice has a thousand recipients at most, but for the first one, which is as large as the canary: ten thousand. */
const PER_SLICE = 1_024;
const PLACES = DIGITS.length ** PLACE;
/** Where those of the first slice stand that are beyond: at the other end, from the last place down. */
const BEYOND = 9 * PER_SLICE;

/** Where a recipient stands. */
export interface StopPlace {
  /** How the links call the upload: four letters or digits. */
  readonly upload: string;
  /** The slice in the upload, and the place in the slice. */
  readonly slice: number;
  readonly index: number;
}

/** A name for an upload; `hex` is random. */
export function uploadName(hex: string): string {
  return inBase62(BigInt(`0x${hex}`), UPLOAD);
}

/** Throws where an upload is so large that its places have no short name: fourteen million people. */
export function stopLink(publicUrl: string, secrets: readonly Secret[], place: StopPlace): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error('a link needs a secret');
  const names = place.upload + inBase62(BigInt(numberOf(place)), PLACE);
  return `${publicUrl}${PATH}${names}${signatureOf(secret, names)}`;
}

/** Where a recipient stands in an upload whose recipients are numbered one after the other. */
export function stopPlaceOf(number: number): Pick<StopPlace, 'slice' | 'index'> {
  return { slice: Math.floor(number / PER_SLICE), index: number % PER_SLICE };
}

/** Undefined: the place is not one of a numbered upload. */
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

/** As long as any link, and leads nowhere: for counting and for showing. */
export function sampleStopLink(publicUrl: string): string {
  return `${publicUrl}${PATH}${'0'.repeat(UPLOAD + PLACE + SIGNATURE)}`;
}

/**
 * The token at the beginning of the last part of a path; '' where there is none. Phones take the end of a sentence into
 * a link (`.`, `)`, a space), and the signature says whether the rest is the token.
 */
export function stopTokenIn(path: string): string {
  return TOKEN.exec(path)?.[0] ?? '';
}

/** Undefined: no secret signed the token. Every secret is tried for any text, so that time reveals nothing. */
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

/** The keys of the links follow from the callback secrets, and say nothing about them. */
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

/** The lowest digits of a number, as many as are asked for. */
function inBase62(number: bigint, digits: number): string {
  const base = BigInt(DIGITS.length);
  let [rest, text] = [number, ''];
  while (text.length < digits) {
    text = DIGITS.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return text;
}
