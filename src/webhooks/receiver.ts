/**
 * Hears back from upstream: checks the path, writes down what was posted, wakes a look, answers 200.
 *
 * Nothing that is posted is believed and nothing here changes a state: the path names the operation, the body is only
 * evidence, and the look that follows asks upstream itself. So an unreadable, oversized or forged body gets the same
 * answer as a good one. 503 only when it could not be written down, or not where a failover would find it: it may be
 * the only word about an end that came late, so the sender is asked to come again.
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

/** What became of a callback, for the metrics. */
export type CallbackVerdict =
  | 'noted'
  | 'look'
  | 'unmatched'
  /** It claims the opposite of the end that we told everybody. What is true is asked, and counts. */
  | 'contradicts'
  | 'probe'
  | 'wrong_path'
  | 'unavailable';

/** What was written down of a callback. */
export interface Noted {
  /** The trace that its operation belongs to. */
  readonly trace: string | undefined;
  /** Since it began to come. */
  readonly durationMs: number;
  /** Absent: it has none. */
  readonly hash?: HashVerdict;
}

interface ReceiverOptions {
  readonly secrets: readonly Secret[];
  readonly operations: Pick<OperationStore, 'nudge'>;
  /** The hashes of an account's master keys: one in a body says who could have written it, and decides nothing. */
  readonly hashes: (account: string) => Promise<KnownHashes>;
  /** The digest of the account's key of today; tried before `hashes`. */
  readonly ownDigest?: (account: string) => string | undefined;
  readonly clock: Clock;
  readonly wake: (queue: QueueName) => void;
  readonly onCallback: (kind: string, verdict: CallbackVerdict, target?: CallbackTarget, noted?: Noted) => void;
  readonly onError: (error: unknown) => void;
  /** The page on which people say that they want no more texts. */
  readonly stop?: StopPageOptions;
}

/** At most one look per operation and interval, however often we are called. */
const LOOK_INTERVAL_MS = 5_000;
/** Limit for all bodies that are read at once: a callback has a few kilobytes. */
const BODIES_BYTES = 32_000_000;
const RETRY_AFTER_S = 30;
/** A PostgreSQL that hangs must not collect callers: they are told to come again, and a poll comes anyway. */
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
    // The path as it was sent: decoding it first would change what was signed.
    const [path = ''] = request.originalUrl.split('?');
    const target = readCallbackPath(secrets, path);
    if (!target) return refuse(request, response, onCallback);
    if (request.method !== 'POST') {
      // Upstream may ask whether the address is reachable before it authorises anything (interface: Errors, 4002).
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

/** A callback during an outage of the store is lost by each question that is asked before it is stored. */
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

/** How we say that money has moved. */
const SUCCEEDED = ['succeeded', 'completed'];

/** How we say that a disbursement was not paid, or no longer is. */
const NOT_PAID = ['failed', 'reversed'];

/** The ends that say what was posted. An invoice that failed may still be paid, so it is looked at in any case. */
function statesOf(kind: CallbackTarget['kind'], heard: EvidenceDraft): readonly string[] {
  if (claimsSuccess(heard)) return SUCCEEDED;
  return kind === 'disbursement' && claimsUndone(heard) ? NOT_PAID : [];
}

function verdictOf(kind: CallbackTarget['kind'], hinted: Signalled, heard: EvidenceDraft): CallbackVerdict {
  if (!('state' in hinted)) return hinted.is === 'none' ? 'unmatched' : 'noted';
  // A payer may come back to an invoice that was over; nobody comes back to a disbursement.
  const told = hinted.is === 'final' || (kind === 'disbursement' && isFinal(kind, hinted.state));
  const paid = SUCCEEDED.includes(hinted.state);
  if (told && (paid ? kind === 'disbursement' && claimsUndone(heard) : claimsSuccess(heard))) return 'contradicts';
  return hinted.is === 'look' ? 'look' : 'noted';
}

/** What comes after the time is over is still written down; the sender is only not told. */
const late = (): Error => new Error(`a callback could not be written down within ${STORE_WITHIN_MS} ms`);

/** The same for every path that is not signed. */
const NOT_HERE =
  'This port takes callbacks of the provider and stop links of SMS. The API of relais has another (API_PORT).\n';

function refuse(request: Request, response: Response, onCallback: ReceiverOptions['onCallback']): void {
  request.resume();
  onCallback('none', 'wrong_path');
  // A stranger does not keep the connection.
  response.status(404).set('Connection', 'close').type('text/plain').send(NOT_HERE);
}

interface Heard {
  readonly heard: EvidenceDraft;
  readonly hash?: Secret | undefined;
  /** What was posted, without hash, card or number of a person; '' where nothing of it was read. */
  readonly redacted: string;
}

/** The status word is kept as the code: it is what upstream claims, and a look will say whether it is so. */
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

/** Undefined when there is more than we read or have room for, or when the sender went away before the end. */
function readBounded(request: Request, held: Holding): Promise<Uint8Array | undefined> {
  // An encoded body would have to be unpacked before anything about it is known.
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
 * The address of one operation's callbacks. Upstream signs nothing that names an operation, so we sign the address
 * instead: only its addressee, or a reader of a log, can reach it, and all it grants is "please look now".
 *
 *   /cb/<kind letter>/<kid>.<account>.<id>.<mac>
 */

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

const keyIds = new WeakMap<Secret, string>();

/** Short and derived: it tells which secret signed without telling anything about the secret. Made once for each. */
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
    // A stray percent sign: a path we never made.
    return undefined;
  }
}

/** The containers upstream defines and plain fields live in. */
const RECORDS: ReadonlySet<string> = new Set(['data', 'invoice']);
const MASK = '•••';
const KEPT_BYTES = 4_096;
/** How much of a body nobody can read is looked at; more than is kept, because masking makes it shorter. */
const SEEN_BYTES = 16_384;

/** Names whose values are about a person, a card or a key, wherever in the name the word stands. */
const PRIVATE_WORDS =
  'hash|pan|card|cvv|otp|pass|secret|key|name|phone|mobile|msisdn|numero|number|email|mail|alias|address|customer|receipt|url';
const PRIVATE_NAME = new RegExp(PRIVATE_WORDS, 'i');
/** The same names inside a text: `"name": "…"` at any level of quoting, and `name=…`. All counts are bounded. */
const PRIVATE_MEMBER = new RegExp(
  `((?:${PRIVATE_WORDS})[\\w-]{0,40}\\\\{0,8}["']\\s{0,8}:\\s{0,8})(?:(\\\\{0,8})"[\\s\\S]*?(?:(?<!\\\\)\\2"|$)|[^"\\s,}\\]]+)`,
  'gi',
);
const PRIVATE_PAIR = new RegExp(`((?:${PRIVATE_WORDS})[\\w\\[\\]-]{0,60}=)[^&\\r\\n]*`, 'gi');
const KEY_LIKE = /[0-9a-f]{32,}/gi;
const CARD_LIKE = /\d(?:[ -]?\d){11,18}/g;
const MAIL_LIKE = /[\w.+-]{1,64}@[\w.-]{1,255}/g;

/**
 * A callback as text of at most 4 kB that may be kept: hash, cards, keys, names, addresses and telephone numbers are
 * masked, the identifiers and amounts that make it evidence are not. What can be read comes back as JSON, which
 * `readCallbackBody` reads as it read the original; the rest as masked text.
 */
export function redactBody(parsed: Parsed, raw: Uint8Array): string {
  return clip('tree' in parsed ? JSON.stringify(redactTree(parsed.tree, true)) : maskText(readableStart(raw)));
}

/**
 * A null-prototype object per level; the reader has already refused names that mean something to JavaScript. `ours`
 * while every level above is one upstream defines: `custom_data` may hold anything under a name we trust elsewhere.
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
  // Cut between characters: the decoder leaves out an unfinished one while it is told that more will come.
  return `${new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES - 3), { stream: true })}…`;
}
