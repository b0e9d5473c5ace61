/**
 * The audit: one line for each act that changes something through a door, written in the same script as the act.
 * Each line's hash is made of the hash before it, so that a line that was changed by hand is found; that all of them
 * were made anew is found by the seals of the processes, and that one was added by its mark.
 */
import { createHmac, hash as hashOf } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isAfter } from '../lib/ids.ts';
import { type Secret, sameSecret } from '../lib/secret.ts';
import type { Act } from '../ledger/acts.ts';
import { SeenMarks, isMarked } from './audit-marks.ts';
import { items, text as word } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import { noteAct, forgetAudit, readAudit, resealAudit, sealAudit } from './scripts/generated/scripts.ts';

export type { Act } from '../ledger/acts.ts';

const NOBODY = { audit: [], act: [] } as const;
const STREAM = [keys.audit, keys.auditLast];

/** As the scripts take it; an act that is none writes no line. */
export function told(act: Act | undefined): { readonly audit: readonly string[]; readonly act: readonly string[] } {
  return act === undefined ? NOBODY : { audit: STREAM, act: wordsOf(act) };
}

const beginningOf = ({ by, person, role, source, requestId, act }: Act) => [by, person, role, source, requestId, act];

function wordsOf(act: Act): readonly string[] {
  const words = [...beginningOf(act), act.target, JSON.stringify(act.facts ?? {}).slice(1, -1)];
  return [...words, ''];
}

/** Where several acts may come in one step. */
export function toldEach(acts: readonly (Act | undefined)[]) {
  const each = acts.map((act) => ({ words: act === undefined ? [] : wordsOf(act) }));
  return { audit: each.some(({ words }) => words.length > 0) ? STREAM : [], acts: each };
}

/** The same where each act is told of many targets, a line each: what their lines begin with. The rest is `factsAndMark`. */
export function toldTogether(acts: readonly Act[]) {
  return { audit: acts.length > 0 ? STREAM : [], acts: acts.map((act) => ({ words: beginningOf(act) })) };
}

export function factsAndMark(act: Act): { readonly facts: string; readonly mark: string } {
  const [mark = '', facts = ''] = wordsOf(act).toReversed();
  return { facts, mark };
}

/** One line, as it is kept. */
export interface AuditLine {
  readonly id: string;
  /** The words that its hash is made of, in this order, and then the hash. */
  readonly words: Readonly<Record<AuditWord, string>>;
}

const asked = ['by', 'person', 'role', 'door', 'requestId', 'act'] as const;
const auditWords = ['at', ...asked, 'target', 'before', 'after', 'mark'] as const;
type AuditWord = (typeof auditWords)[number] | 'hash';

/** As in `lib/audit.lua`: each word with its length before it, after the hash of the line before. */
export function hashOfLine({ words }: AuditLine, before: string): string {
  let text = before;
  for (const name of auditWords) text += ` ${Buffer.byteLength(words[name])}:${words[name]}`;
  return hashOf('sha1', text, 'hex');
}

const NO_WORDS = Object.fromEntries([...auditWords, 'hash'].map((name) => [name, ''])) as Record<AuditWord, string>;
const isAuditWord = (name: string): name is AuditWord => Object.hasOwn(NO_WORDS, name);

/** From how it stands in the stream, names and values in turns. */
export function readLine([id, flat]: readonly [string, readonly string[]]): AuditLine {
  const words = { ...NO_WORDS };
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at] ?? '';
    if (isAuditWord(name)) words[name] = flat[at + 1] ?? '';
  }
  return { id, words };
}

/** Where the stream ends, by the word of the last act. */
interface LastLine {
  readonly id: string;
  readonly hash: string;
}

export class Audit {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** For an act that is no script of ours: told in a step of its own, after it. */
  async tell(act: Act): Promise<void> {
    await noteAct(this.#redis, told(act));
  }

  /** Newest first. */
  async page({ before, limit }: { readonly before?: string | undefined; readonly limit: number }) {
    const from = before === undefined ? '+' : `(${before}`;
    return (await this.#redis.xrevrange(keys.audit, from, '-', 'COUNT', limit)).map(readLine);
  }

  /** Oldest first, those after one and up to another. */
  async after(place: string, upto: string, most: number): Promise<readonly AuditLine[]> {
    const lines = await readAudit(this.#redis, { stream: keys.audit, from: `(${place}`, upto, most });
    return items(JSON.parse(lines)).map((line) => {
      const [id, flat] = items(line);
      return readLine([word(id), items(flat).map(word)]);
    });
  }

  async last(): Promise<LastLine | undefined> {
    const [id, hash] = (await this.#redis.get(keys.auditLast))?.split(' ') ?? [];
    return id && hash ? { id, hash } : undefined;
  }
}

/**
 * What makes it seen that lines of the audit were changed and all hashes after them made anew: every few seconds a
 * process seals how far the audit has come, with a key that is not in Redis. Each line is counted into a digest of
 * its own (SHA-256), so that nothing rests on the hash that Redis can make (SHA-1).
 *
 * A process also remembers what it has seen sealed: while it runs, it tells of a Redis that was taken back to an
 * older audit.
 */

/** What is sealed: the lines up to and with this one. */
interface Sealed {
  /** Place of the line; `0-0`: before the first. */
  readonly to: string;
  /** How many lines there have ever been. */
  readonly lines: number;
  readonly hash: string;
  readonly digest: string;
  /** ms since the epoch, by the process that sealed. */
  readonly at: number;
  /** All lines up to here are forgotten, because they were old or too many. */
  readonly first?: true;
}

interface Seal extends Sealed {
  readonly mac: string;
}

/** The first line that does not fit, and why. */
export interface AuditFault {
  readonly id: string;
  readonly why: string;
}

interface AuditVerdict {
  readonly lines: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly sealedTo: string | undefined;
  readonly fault: AuditFault | undefined;
}

const START: Sealed = { to: '0-0', lines: 0, hash: '', digest: '', at: 0 };
const AT_ONCE = 1_000;
/** Redis writes them out in a script: no longer than it takes to accept fifty. */
const LINES_AT_ONCE = 250;
/** So many lines lie behind a seal before the next one is kept beside it. */
const LINES_PER_SEAL = 1_000;
/** Nor does it wait longer for them. */
const DAY_MS = 86_400_000;
/** What is younger need not be sealed yet. */
const UNSEALED_MS = 60_000;

const CHANGED = 'its hash does not fit: it was changed, or a line before it was changed, put in or taken out';
const RESEALED = 'it was sealed otherwise: it, or a line since the seal before, was changed with all hashes after it';
const GONE = 'it was sealed, and is no longer there';
const FORGED = 'its seal was made with no secret that is here';
const APPENDED = 'it stands behind the last line, and no act has put it there';
const UNMARKED = 'no process with a secret that is here has asked for it';
const TWICE = 'its mark is that of a line before it: it was put there twice';

interface Forgetting {
  /** ms since the epoch. */
  readonly beforeAt: number;
  readonly most: number;
  readonly act: Act;
}

export class AuditSeals {
  readonly #redis: Redis;
  readonly #audit: Audit;
  readonly #secrets: readonly Secret[];
  readonly #markSecrets: readonly Secret[];
  /** What this process has seen sealed, the furthest. */
  #remembered: Sealed = START;

  /** `secrets`: the first seals, all of them open. `markSecrets`: those that a process may mark lines with. */
  constructor(redis: Redis, audit: Audit, secrets: readonly Secret[], markSecrets = secrets) {
    this.#redis = redis;
    this.#audit = audit;
    this.#secrets = secrets;
    this.#markSecrets = markSecrets;
  }

  /**
   * Seals what came since the last seal. Answers what does not fit: then nothing is sealed. `unlessSince`: where
   * another process has sealed since then (ms since the epoch), each line need not be walked by all of them.
   */
  async seal(at: number, unlessSince = Infinity): Promise<AuditFault | undefined> {
    const [secret] = this.#secrets;
    const [last, kept] = await Promise.all([this.#audit.last(), this.#redis.lrange(keys.auditSeals, -2, -1)]);
    const newest = kept.at(-1);
    const before = newest === undefined ? START : readSeal(newest);
    if (secret === undefined || last === undefined || before.to === last.id) return this.#missing(before);
    const fault = this.#faultOf(before) ?? this.#missing(before);
    if (fault) return fault;
    if (before.at >= unlessSince && before.at <= at) return undefined;
    const walk = await this.#walk(before, last.id, this.#marks());
    if (walk.fault) return walk.fault;
    if (walk.to !== last.id) return { id: last.id, why: GONE };
    const { fault: _none, ...reached } = walk;
    const sealed = { ...reached, at };
    const behind = kept.length === 2 ? readSeal(kept[0] ?? '') : undefined;
    const done = await sealAudit(this.#redis, {
      seals: keys.auditSeals,
      before: newest ?? '',
      replaces: behind !== undefined && before.lines - behind.lines < LINES_PER_SEAL && at - behind.at < DAY_MS,
      seal: JSON.stringify({ ...sealed, mac: macOf(sealed, secret) }),
    });
    if (done) this.#remembered = sealed;
    return undefined;
  }

  /** Every line and every seal, from the first that is kept. `now`: ms since the epoch. */
  async verify(now: number): Promise<AuditVerdict> {
    const remembered = this.#remembered;
    const seals = (await this.#redis.lrange(keys.auditSeals, 0, -1)).map(readSeal);
    const last = await this.#audit.last();
    const [first] = await this.#audit.after('0-0', '+', 1);
    const ends = { first: first?.id, last: last?.id, sealedTo: seals.at(-1)?.to };
    const [oldest] = seals;
    const begin = oldest?.first ? oldest : START;
    let at: Sealed & { readonly fault?: AuditFault | undefined } = begin;
    let fault = begin === START ? undefined : this.#faultOf(begin);
    const marks = this.#marks();
    for (const seal of seals.filter(({ to }) => isAfter(to, begin.to))) {
      if (fault) break;
      // The process that sealed a line has looked at its mark, and the secret of the mark may be gone since.
      at = await this.#walk(at, seal.to, { ...marks, secrets: [] });
      fault = at.fault ?? differing(at, seal) ?? this.#faultOf(seal);
    }
    if (!fault) {
      const sealedTo = at.to;
      at = await this.#walk(at, '+', marks);
      fault = at.fault ?? (await this.#atTheEnd(at, last)) ?? (await this.#unsealed(sealedTo, now));
    }
    return { lines: at.lines, ...ends, fault: fault ?? behindOf(remembered, seals.at(-1) ?? START) };
  }

  /**
   * Whether as many lines are stored as the seals say. It reads only the lines since the last seal, so it can be asked
   * each minute: a line that was taken out, or put in, changes the number.
   */
  async isCountRight(): Promise<boolean> {
    const [newest] = await this.#redis.lrange(keys.auditSeals, -1, -1);
    if (newest === undefined) return true;
    const { to, lines } = readSeal(newest);
    const answers = await this.#redis
      .multi()
      .lindex(keys.auditSeals, 0)
      .lindex(keys.auditSeals, -1)
      .xlen(keys.audit)
      .xrange(keys.audit, `(${to}`, '+')
      .exec();
    const [oldest, still, stored, since] = (answers ?? []).map(([, answer]) => answer);
    // Sealed, or forgotten, meanwhile: the next look counts.
    if (typeof oldest !== 'string' || still !== newest || !Array.isArray(since)) return true;
    const first = readSeal(oldest);
    return stored === lines - (first.first ? first.lines : 0) + since.length;
  }

  /**
   * Forgets what is older, or beyond the newest so many, up to a seal: that seal then says that it is the first. The
   * forgetting is a line itself, so that nobody can take out old lines unseen. Where a line does not fit nothing is
   * forgotten, and that one is answered.
   */
  async forget({ beforeAt, most, act }: Forgetting): Promise<number | AuditFault> {
    const [secret] = this.#secrets;
    const kept = await this.#redis.lrange(keys.auditSeals, 0, -1);
    const seals = kept.map(readSeal);
    const all = seals.at(-1)?.lines ?? 0;
    const place = seals.findLastIndex(({ at, lines }) => at < beforeAt || all - lines >= most);
    const seal = seals[place];
    if (secret === undefined || seal === undefined || seal.first) return 0;
    const { fault } = await this.verify(seal.at);
    if (fault) return fault;
    const { mac: _mac, ...sealed } = { ...seal, first: true } as const;
    return forgetAudit(this.#redis, {
      stream: keys.audit,
      seals: keys.auditSeals,
      ...told(act),
      first: kept[0] ?? '',
      seal: kept[place] ?? '',
      becomes: JSON.stringify({ ...sealed, mac: macOf(sealed, secret) }),
      upto: seal.to,
    });
  }

  /**
   * The same under the newest secret, so that older ones can go. What none of them opens stays as it is. `act` is told
   * in the last step.
   */
  async reseal(act: Act): Promise<void> {
    const kept = await this.#redis.lrange(keys.auditSeals, 0, -1);
    const pages = Math.max(1, Math.ceil(kept.length / AT_ONCE));
    for (let page = 0; page < pages; page += 1) {
      const read = kept.slice(page * AT_ONCE, (page + 1) * AT_ONCE);
      await resealAudit(this.#redis, {
        seals: keys.auditSeals,
        ...told(page === pages - 1 ? act : undefined),
        from: page * AT_ONCE,
        kept: read,
        again: read.map((text) => this.#again(text)),
      });
    }
  }

  #again(text: string): string {
    const [secret] = this.#secrets;
    const { mac, ...sealed } = readSeal(text);
    if (secret === undefined || this.#faultOf({ ...sealed, mac })) return text;
    return JSON.stringify({ ...sealed, mac: macOf(sealed, secret) });
  }

  #marks(): Marks {
    return { secrets: this.#markSecrets, seen: new SeenMarks() };
  }

  async #walk(
    from: Sealed,
    upto: string,
    marks: Marks,
  ): Promise<Sealed & { readonly fault?: AuditFault | undefined }> {
    let at = from;
    for (;;) {
      const lines = await this.#audit.after(at.to, upto, LINES_AT_ONCE);
      for (const line of lines) {
        const { hash } = line.words;
        if (hashOfLine(line, at.hash) !== hash) return { ...at, fault: { id: line.id, why: CHANGED } };
        const why = whyNotOurs(line, marks);
        if (why !== undefined) return { ...at, fault: { id: line.id, why } };
        at = { to: line.id, lines: at.lines + 1, hash, digest: digestWith(at.digest, line), at: 0 };
      }
      if (lines.length < LINES_AT_ONCE) return at;
    }
  }

  #faultOf({ mac, ...sealed }: Sealed & { readonly mac?: string }): AuditFault | undefined {
    if (mac === undefined || this.#secrets.some((secret) => sameSecret(macOf(sealed, secret), mac))) return undefined;
    return { id: sealed.to, why: FORGED };
  }

  /** The last line is where the last act left it. `read`: as it was before the walk; acts may have come since. */
  async #atTheEnd({ to }: Sealed, read: LastLine | undefined): Promise<AuditFault | undefined> {
    if (to === read?.id) return undefined;
    const last = await this.#audit.last();
    if (last === undefined)
      return to === '0-0' ? undefined : { id: to, why: 'no act tells that it was the last line' };
    if (isAfter(to, last.id)) return { id: to, why: APPENDED };
    const isThere = (await this.#audit.after(to, last.id, 1)).length > 0;
    return to === last.id || isThere
      ? undefined
      : { id: last.id, why: 'it was the last line, and is no longer there' };
  }

  async #unsealed(sealedTo: string, now: number): Promise<AuditFault | undefined> {
    const [next] = await this.#audit.after(sealedTo, '+', 1);
    if (next === undefined || now - Number(next.words.at) < UNSEALED_MS) return undefined;
    return { id: next.id, why: 'no process has sealed it, though it is older than a minute' };
  }

  /** Further than what is there now: Redis was taken back. */
  #missing(newest: Sealed): AuditFault | undefined {
    const behind = behindOf(this.#remembered, newest);
    if (!behind) this.#remembered = newest;
    return behind;
  }
}

/** No secrets: it was looked at before. */
interface Marks {
  readonly secrets: readonly Secret[];
  readonly seen: SeenMarks;
}

function whyNotOurs({ words }: AuditLine, { secrets, seen }: Marks): string | undefined {
  const { mark, target, after } = words;
  const said = { words: asked.map((name) => words[name]), target, after };
  if (secrets.length > 0 && !isMarked(mark, said, secrets)) return UNMARKED;
  return seen.again(words.mark) ? TWICE : undefined;
}

function behindOf(remembered: Sealed, newest: Sealed): AuditFault | undefined {
  if (newest.lines >= remembered.lines) return undefined;
  return { id: remembered.to, why: `${GONE}: this process has seen it sealed` };
}

function differing(at: Sealed, seal: Sealed): AuditFault | undefined {
  if (at.to !== seal.to) return { id: seal.to, why: GONE };
  const same = at.hash === seal.hash && at.digest === seal.digest && at.lines === seal.lines;
  return same ? undefined : { id: seal.to, why: RESEALED };
}

function readSeal(text: string): Seal {
  return JSON.parse(text) as Seal;
}

function digestWith(before: string, { id, words }: AuditLine): string {
  const parts = [before, id, ...auditWords.map((name) => words[name]), words.hash];
  return hashOf('sha256', JSON.stringify(parts), 'base64url');
}

function macOf({ to, lines, hash, digest, at, first }: Sealed, secret: Secret): string {
  return createHmac('sha256', `relais audit ${secret.reveal()}`)
    .update(JSON.stringify([to, lines, hash, digest, at, first === true]))
    .digest('base64url');
}
