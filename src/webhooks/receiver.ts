/**
 * Receives callbacks of the provider: checks the path, stores the callback, triggers a status check, answers 200.
 *
 * A callback is never trusted and changes no state: the path names the operation, the body is only evidence, and the
 * status check that follows asks the provider. So an unreadable, oversized or forged body gets the same answer as a
 * good one. 503 only if it could not be stored durably: it may be the only report of a late result, so the sender is
 * asked to repeat it.
 */
import { createHmac } from 'node:crypto';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { QueueName } from '../kinds/due-queues.ts';
import { isFinal, lookQueueOf } from '../kinds/index.ts';
import { type Clock, within } from '../lib/clock.ts';
import { HeldBytes, type Holding } from '../lib/held-bytes.ts';
import { maskPhone } from '../lib/phone.ts';
import { type Secret, sameSecret } from '../lib/secret.ts';
import type { Signalled } from '../ledger/operation-store.ts';
import type { OperationStore } from '../ledger/operation-store.ts';
import { type EvidenceDraft, WRONG_HASH, claimsSuccess, claimsUndone } from '../operations/transition.ts';
import {
  BODY_LIMITS,
  type Parsed,
  type Tree,
  percentDecode,
  plainNames,
  readCallbackBody,
  readTree,
} from './body.ts';
import { type HashVerdict, type KnownHashes, verdictOfHash } from './hash.ts';
import { type StopPageOptions, stopPages } from './stop-page.ts';

/** The result of a callback, for the metrics. */
export type CallbackVerdict =
  | 'noted'
  | 'look'
  | 'unmatched'
  /** It contradicts the reported result. A status check decides. */
  | 'contradicts'
  | 'probe'
  | 'wrong_path'
  | 'unavailable';

/** The stored part of a callback. */
export interface Noted {
  /** The trace of its operation. */
  readonly trace: string | undefined;
  /** Since the request began. */
  readonly durationMs: number;
  /** Absent: the body has none. */
  readonly hash?: HashVerdict;
}

interface ReceiverOptions {
  readonly secrets: readonly Secret[];
  readonly operations: Pick<OperationStore, 'nudge'>;
  /** Digests of an account's master keys: they show who could have written the callback, and decide nothing. */
  readonly hashes: (account: string) => Promise<KnownHashes>;
  /** The digest of the account's current key; tried before `hashes`. */
  readonly ownDigest?: (account: string) => string | undefined;
  readonly clock: Clock;
  readonly wake: (queue: QueueName) => void;
  readonly onCallback: (kind: string, verdict: CallbackVerdict, target?: CallbackTarget, noted?: Noted) => void;
  readonly onError: (error: unknown) => void;
  /** The opt-out page for recipients of SMS. */
  readonly stop?: StopPageOptions;
}

/** At most one status check per operation and interval, for any number of callbacks. */
const LOOK_INTERVAL_MS = 5_000;
/** Limit for all bodies that are read concurrently: a callback has a few kilobytes. */
const BODIES_BYTES = 32_000_000;
const RETRY_AFTER_S = 30;
/** A hanging PostgreSQL must not accumulate callers: they are asked to repeat, and a poll follows anyway. */
const STORE_WITHIN_MS = 2_000;

export function createReceiver(options: ReceiverOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  if (options.stop) app.use('/s/', stopPages(options.stop));
  app.use(receive(options));
  return app;
}

function receive(options: ReceiverOptions): RequestHandler {
  const { secrets, operations, clock, wake, onCallback, onError } = options;
  const bodies = new HeldBytes({ ofCaller: BODIES_BYTES, ofProcess: BODIES_BYTES });
  return async (request, response) => {
    // The path as it was sent: decoding would change the signed text.
    const [path = ''] = request.originalUrl.split('?');
    const target = readCallbackPath(secrets, path);
    if (!target) return refuse(request, response, onCallback);
    if (request.method !== 'POST') {
      // The provider may check whether the address is reachable before it authorises a request (interface: Errors,
      // 4002).
      onCallback(target.kind, 'probe', target);
      return void response.status(200).end();
    }
    const sinceMono = clock.monotonic();
    const held = bodies.open('');
    response.once('close', () => held.end());
    const { heard, redacted, hash } = await readEvidence(request, held);
    try {
      const store = async (): Promise<Signalled & Pick<Noted, 'hash'>> => {
        const detail = hash && (await verdictOn(hash, target.account, options));
        const evidence = { ...heard, detail };
        const agreesWith = detail === WRONG_HASH ? [] : statesOf(target.kind, evidence);
        const posted = { redacted, agreesWith };
        const nudged = await operations.nudge(target.kind, target.id, evidence, LOOK_INTERVAL_MS, posted);
        if (nudged.is === 'look') wake(lookQueueOf(target.kind));
        return { ...nudged, ...(detail ? { hash: detail } : {}) };
      };
      const hinted = await within({ clock, ms: STORE_WITHIN_MS, late }, store());
      const durationMs = clock.monotonic() - sinceMono;
      const noted = { trace: hinted.trace, durationMs, ...(hinted.hash ? { hash: hinted.hash } : {}) };
      onCallback(target.kind, verdictOf(target.kind, hinted, heard), target, noted);
      response.status(200).end();
    } catch (error) {
      onError(error);
      onCallback(target.kind, 'unavailable', target);
      response.status(503).set('Retry-After', String(RETRY_AFTER_S)).end();
    }
  };
}

/** During an outage of the store, any query before the write would lose the callback. */
async function verdictOn(
  hash: Secret,
  account: string,
  { hashes, ownDigest }: Pick<ReceiverOptions, 'hashes' | 'ownDigest'>,
): Promise<HashVerdict> {
  const own = ownDigest?.(account);
  if (own !== undefined && verdictOfHash(hash, { digests: [own], areAll: false }) === 'hash_right')
    return 'hash_right';
  return verdictOfHash(hash, await hashes(account));
}

/** Our states for moved money. */
const SUCCEEDED = ['succeeded', 'completed'];

/** Our states for a disbursement that was not paid, or was returned. */
const NOT_PAID = ['failed', 'reversed'];

/** The final states that match the callback. A failed invoice may still be paid, so it is always checked. */
function statesOf(kind: CallbackTarget['kind'], heard: EvidenceDraft): readonly string[] {
  if (claimsSuccess(heard)) return SUCCEEDED;
  return kind === 'disbursement' && claimsUndone(heard) ? NOT_PAID : [];
}

function verdictOf(kind: CallbackTarget['kind'], hinted: Signalled, heard: EvidenceDraft): CallbackVerdict {
  if (!('state' in hinted)) return hinted.is === 'none' ? 'unmatched' : 'noted';
  // A payer can return to a finished invoice; a finished disbursement has no payer.
  const told = hinted.is === 'final' || (kind === 'disbursement' && isFinal(kind, hinted.state));
  const paid = SUCCEEDED.includes(hinted.state);
  if (told && (paid ? kind === 'disbursement' && claimsUndone(heard) : claimsSuccess(heard))) return 'contradicts';
  return hinted.is === 'look' ? 'look' : 'noted';
}

/** A late write still succeeds; only the sender gets no confirmation. */
const late = (): Error => new Error(`a callback could not be written down within ${STORE_WITHIN_MS} ms`);

/** Equal for every unsigned path. */
const NOT_HERE =
  'This port takes callbacks of the provider and stop links of SMS. The API of relais has another (API_PORT).\n';

function refuse(request: Request, response: Response, onCallback: ReceiverOptions['onCallback']): void {
  request.resume();
  onCallback('none', 'wrong_path');
  // Unknown clients do not keep the connection.
  response.status(404).set('Connection', 'close').type('text/plain').send(NOT_HERE);
}

interface Heard {
  readonly heard: EvidenceDraft;
  readonly hash?: Secret | undefined;
  /** The callback without hash, card or phone number; '' if nothing of it was read. */
  readonly redacted: string;
}

/** The status word is stored as the code: it is the provider's claim, and a status check verifies it. */
async function readEvidence(request: Request, held: Holding): Promise<Heard> {
  const raw = await readBounded(request, held);
  if (raw === undefined) return { heard: { operation: 'callback', code: 'too_large' }, redacted: '' };
  const parsed = readTree(raw, request.headers['content-type']);
  const body = readCallbackBody(parsed);
  const redacted = redactBody(parsed, raw);
  if (!body.readable) return { heard: { operation: 'callback', code: body.reason }, redacted };
  const { status = 'no_status', hash } = body.fields;
  return { heard: { operation: 'callback', code: status.slice(0, 20) }, redacted, hash };
}

/** Undefined if the body exceeds the limits, or if the sender disconnected before the end. */
function readBounded(request: Request, held: Holding): Promise<Uint8Array | undefined> {
  // An encoded body would have to be decompressed before any check.
  if (!/^(?:identity)?$/i.test((request.headers['content-encoding'] ?? '').trim())) {
    request.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let isRead = true;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      isRead &&= bytes <= BODY_LIMITS.bytes && held.takeIfRoom(part.length);
      if (isRead) parts.push(part);
    });
    request.on('end', () => resolve(isRead ? Buffer.concat(parts) : undefined));
    request.on('error', () => resolve(undefined));
    request.on('aborted', () => resolve(undefined));
  });
}

/**
 * The address of one operation's callbacks. The provider signs nothing that names an operation, so relais signs the
 * address: only its recipient, or a reader of a log, can use it, and it only triggers a status check.
 *
 *   /cb/<kind letter>/<kid>.<account>.<id>.<mac>
 */

/** The operations with callbacks (interface: Events). */
const LETTERS = { disbursement: 'd', invoice: 'i' } as const satisfies Record<string, string>;

type CallbackKind = keyof typeof LETTERS;

/** The content of a callback path. It is not secret; only the signature is. */
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

/** An invalid path is checked against this, so that its refusal takes as long as that of a wrong signature. */
const NOBODY: SignedPath = { target: { account: '', kind: 'invoice', id: '' }, kid: '', mac: '' };

/** The path for the provider, signed with the first secret. Throws if there is none, or if the names do not fit. */
export function callbackPath(secrets: readonly Secret[], target: CallbackTarget): string {
  const [secret] = secrets;
  if (secret === undefined) throw new Error('a callback path needs a callback secret');
  const names = `${keyId(secret)}.${encodeURIComponent(target.account)}.${target.id}`;
  const path = `/cb/${LETTERS[target.kind]}/${names}.${signature(secret, target)}`;
  if (parse(path) === undefined) throw new Error(`no callback path can be made for ${target.kind} ${target.id}`);
  return path;
}

/** The target of a path that one of the secrets signed. Every secret is tried, to take constant time. */
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

const keyIds = new WeakMap<Secret, string>();

/** Short and derived: identifies the signing secret without revealing it. Cached. */
function keyId(secret: Secret): string {
  const known = keyIds.get(secret);
  if (known !== undefined) return known;
  const made = createHmac('sha256', secret.reveal()).update('callback key id').digest('base64url').slice(0, 8);
  keyIds.set(secret, made);
  return made;
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
    // A stray percent sign: not a path of relais.
    return undefined;
  }
}

/** The provider's containers in which plain fields are found. */
const RECORDS: ReadonlySet<string> = new Set(['data', 'invoice']);
const MASK = '•••';
const KEPT_BYTES = 4_096;
/** How much of an unreadable body is read; more than is stored, because masking shortens it. */
const SEEN_BYTES = 16_384;

/** Words in names whose values are personal data, cards or keys, anywhere in the name. */
const PRIVATE_WORDS =
  'hash|pan|card|cvv|otp|pass|secret|key|name|phone|mobile|msisdn|numero|number|email|mail|alias|address|customer|receipt|url';
const PRIVATE_NAME = new RegExp(PRIVATE_WORDS, 'i');
/** These names inside a text: `"name": "…"` at any level of quoting, and `name=…`. All counts are bounded. */
const PRIVATE_MEMBER = new RegExp(
  `((?:${PRIVATE_WORDS})[\\w-]{0,40}\\\\{0,8}["']\\s{0,8}:\\s{0,8})(?:(\\\\{0,8})"[\\s\\S]*?(?:(?<!\\\\)\\2"|$)|[^"\\s,}\\]]+)`,
  'gi',
);
const PRIVATE_PAIR = new RegExp(`((?:${PRIVATE_WORDS})[\\w\\[\\]-]{0,60}=)[^&\\r\\n]*`, 'gi');
const KEY_LIKE = /[0-9a-f]{32,}/gi;
const CARD_LIKE = /\d(?:[ -]?\d){11,18}/g;
const MAIL_LIKE = /[\w.+-]{1,64}@[\w.-]{1,255}/g;

/**
 * A callback as storable text of at most 4 kB: hash, cards, keys, names, addresses and phone numbers are masked;
 * identifiers and amounts, which are the evidence, are not. A readable body becomes JSON that `readCallbackBody`
 * reads like the original; the rest is masked text.
 */
export function redactBody(parsed: Parsed, raw: Uint8Array): string {
  return clip('tree' in parsed ? JSON.stringify(redactTree(parsed.tree, true)) : maskText(readableStart(raw)));
}

/**
 * A null-prototype object per level; the reader has already refused dangerous names. `ours` while every level above
 * is a container of the provider: `custom_data` may contain anything under a trusted name.
 */
function redactTree(tree: Tree, ours: boolean): object {
  const members: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, node] of tree) {
    if (typeof node === 'object') members[maskText(name)] = redactTree(node, ours && RECORDS.has(name));
    else if (ours && plainNames.has(name)) members[name] = node.slice(0, BODY_LIMITS.fieldCharacters);
    else members[maskText(name)] = PRIVATE_NAME.test(name) && node !== '' ? MASK : maskText(node);
  }
  return members;
}

function maskText(text: string): string {
  const masked = text
    .replace(PRIVATE_MEMBER, `$1"${MASK}"`)
    .replace(PRIVATE_PAIR, `$1${MASK}`)
    .replace(KEY_LIKE, MASK)
    .replace(CARD_LIKE, MASK)
    .replace(MAIL_LIKE, MASK);
  return maskPhone(masked, 'anybody');
}

/** Encoded texts are decoded first: `%37%37…` would hide a number from every pattern above. */
function readableStart(raw: Uint8Array): string {
  let text = new TextDecoder().decode(raw.subarray(0, SEEN_BYTES));
  for (let layer = 0; layer < 3; layer += 1) text = percentDecode(text);
  return text;
}

function clip(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= KEPT_BYTES) return text;
  // Truncated between characters: in streaming mode the decoder omits an unfinished one.
  return `${new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES - 3), { stream: true })}…`;
}
