/**
 * The address of one operation's callbacks. Upstream signs nothing that names an operation, so we sign the address
 * instead: only its addressee, or a reader of a log, can reach it, and all it grants is "please look now".
 *
 *   /cb/<kind letter>/<kid>.<account>.<id>.<mac>
 */
import { createHmac } from 'node:crypto';
import { type Secret, sameSecret } from '../lib/secret.ts';

/** The operations upstream calls back about (interface: Events). */
const LETTERS = { disbursement: 'd', invoice: 'i' } as const satisfies Record<string, string>;

type CallbackKind = keyof typeof LETTERS;

/** What a callback path names. Nothing in it is secret; the signature beside it is. */
export interface CallbackTarget {
  /** The name of the account, never a key. */
  readonly account: string;
  readonly kind: CallbackKind;
  /** The id of the operation. */
  readonly id: string;
}

interface SignedPath {
  readonly target: CallbackTarget;
  readonly kid: string;
  readonly mac: string;
}

const PATH = /^\/cb\/([a-z])\/([\w-]{8})\.([^/]{1,200})\.([\w-]{1,100})\.([\w-]{22})$/;
const LONGEST = 512;

/**
 * A path that is not ours is checked against this, so that it takes as long to refuse as one with a wrong signature.
 */
const NOBODY: SignedPath = { target: { account: '', kind: 'invoice', id: '' }, kid: '', mac: '' };

/** The path to give upstream, signed with the first secret. Throws when there is none, or when the names do not fit. */
export function callbackPath(secrets: readonly Secret[], target: CallbackTarget): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error('a callback path needs a callback secret');
  const names = `${keyId(secret)}.${encodeURIComponent(target.account)}.${target.id}`;
  const path = `/cb/${LETTERS[target.kind]}/${names}.${signature(secret, target)}`;
  if (parse(path) === undefined) throw new Error(`no callback path can be made for ${target.kind} ${target.id}`);
  return path;
}

/** What a path names, when one of the secrets signed it. Every secret is tried, whatever the earlier ones said. */
export function readCallbackPath(secrets: readonly Secret[], path: string): CallbackTarget | undefined {
  const parsed = parse(path);
  const { target, kid, mac } = parsed ?? NOBODY;
  let signed = false;
  for (const secret of secrets) {
    const sameKey = sameSecret(keyId(secret), kid);
    const sameMac = sameSecret(signature(secret, target), mac);
    signed = (sameKey && sameMac) || signed;
  }
  return signed ? parsed?.target : undefined;
}

/** Short and derived: it tells which secret signed without telling anything about the secret. */
function keyId(secret: Secret): string {
  return createHmac('sha256', secret.reveal()).update('callback key id').digest('base64url').slice(0, 8);
}

/** 128 bits of HMAC-SHA256. Each part is preceded by its length, so that no two targets share a text. */
function signature(secret: Secret, { account, kind, id }: CallbackTarget): string {
  const mac = createHmac('sha256', secret.reveal()).update('callback path');
  for (const part of [account, kind, id]) mac.update(`${Buffer.byteLength(part)}:`).update(part);
  return mac.digest().subarray(0, 16).toString('base64url');
}

function parse(path: string): SignedPath | undefined {
  if (path.length > LONGEST) return undefined;
  const [, letter, kid, encoded, id, mac] = PATH.exec(path) ?? [];
  const kind = kindOf(letter);
  const account = encoded === undefined ? undefined : decoded(encoded);
  if (kind === undefined || account === undefined || kid === undefined || id === undefined || mac === undefined) {
    return undefined;
  }
  return { target: { account, kind, id }, kid, mac };
}

function kindOf(letter: string | undefined): CallbackKind | undefined {
  if (letter === LETTERS.disbursement) return 'disbursement';
  return letter === LETTERS.invoice ? 'invoice' : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: a path we never made.
    return undefined;
  }
}
