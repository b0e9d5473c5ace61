/**
 * Two console users during a storm. They read pages with a session cookie and follow the stream, like a browser.
 * Halfway the first user's key is revoked, and that user continues to try.
 */
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Wish } from './caller.ts';
import type { Mailing } from './campaigns.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask } from './http.ts';
import { KEEPER_SECRET } from './plan.ts';
import type { ConsoleAnswer, ConsoleStream, SeenConsole, ShownState } from './story.ts';

const EVERY_MS = 120;
const ANSWER_WITHIN_MS = 10_000;
/** As a fraction of the storm. */
const REVOKED_AT = 0.55;
const MADE_WITHIN_MS = 60_000;
/** All processes may be stopped for a restore meanwhile, followed by a recovery of thousands of payments. */
const REVOKED_WITHIN_MS = 300_000;
/** The delay before a browser reconnects to the stream. */
const STREAM_AGAIN_MS = 1_000;
/** How long the first user still tries after the storm. */
const TRIES_ON_MS = 5_000;
const SEEN_WITHIN_MS = 60_000;

const ROLES = ['read', 'enqueue', 'operate'] as const;
const LISTS = [
  'status',
  'session',
  'accounts',
  'review?limit=100',
  'campaigns?limit=50',
  'messages?limit=50',
  'direct-credits?limit=50',
  'invoices?limit=50',
  'queues',
  'balances',
  'reports/daily',
  'disbursements?limit=100',
  'disbursements?state=succeeded&limit=100',
  'disbursements?state=failed&limit=100',
  'disbursements?state=unknown&limit=100',
  'disbursements?state=needs_review&limit=100',
] as const;

interface MadeKey {
  readonly id: string;
  readonly secret: string;
}

export interface ConsolePlan {
  readonly api: string;
  readonly seed: number;
  readonly wishes: readonly Wish[];
  readonly mailings: readonly Mailing[];
  readonly overMs: number;
}

export class ConsoleUsers {
  readonly plan: ConsolePlan;
  readonly random: Random;
  readonly answers: ConsoleAnswer[] = [];
  readonly shown: ShownState[] = [];
  readonly streams: ConsoleStream[] = [];
  /** Values that only one user may see, with descriptions. */
  readonly secrets = new Map<string, string>();
  readonly bodies: string[] = [];
  #revokedAt: number | undefined;
  #first: ConsoleUser | undefined;
  #second: ConsoleUser | undefined;

  constructor(plan: ConsolePlan) {
    this.plan = plan;
    this.random = seededRandom(plan.seed + 23);
  }

  get seen(): SeenConsole {
    const { answers, shown, streams } = this;
    return { answers, shown, streams, revokedAt: this.#revokedAt };
  }

  isRevoked(name: string): boolean {
    return name === 'first' && this.#revokedAt !== undefined;
  }

  /** Until the signal fires. */
  async live(signal: AbortSignal): Promise<void> {
    const first = await this.#open('first', signal);
    this.#first = first;
    const reading = first?.read(signal);
    const following = first?.follow(signal);
    await waitUntil(() => signal.aborted, REVOKED_AT * this.plan.overMs, EVERY_MS);
    if (first) await this.#revoke(first, signal);
    const second = await this.#open('second', signal);
    this.#second = second;
    await Promise.all([reading, following, second?.read(signal), second?.follow(signal)]);
  }

  /** After the faults: the first user still tries, and the second one reads every page. */
  async finish(): Promise<void> {
    await Promise.all([this.#first?.read(AbortSignal.timeout(TRIES_ON_MS)), this.#second?.readEveryPage()]);
  }

  async #open(name: string, signal: AbortSignal): Promise<ConsoleUser | undefined> {
    const key = await this.makeKey(name, signal);
    return key && new ConsoleUser(name, key, this);
  }

  /** Repeated until there is an answer: relais may be away. */
  async makeKey(name: string, signal: AbortSignal): Promise<MadeKey | undefined> {
    const body = { name: `desk-${name}`, roles: ROLES, person: `desk-${name}` };
    const headers = { authorization: `Bearer ${KEEPER_SECRET}` };
    let made: MadeKey | undefined;
    await waitUntil(async () => {
      const reply = await ask(`${this.plan.api}/v1/keys`, { method: 'POST', body, headers, withinMs: 3_000 });
      if (reply?.status === 201) made = reply.body as MadeKey;
      return made !== undefined || signal.aborted;
    }, MADE_WITHIN_MS);
    if (made) this.secrets.set(made.secret, 'a key that was made');
    return made;
  }

  /** The revocation counts from its answer on. */
  async #revoke(user: ConsoleUser, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${KEEPER_SECRET}` };
    await waitUntil(async () => {
      // Read again each time: after a revocation without an answer, the user has created another key.
      const url = `${this.plan.api}/v1/keys/${user.key.id}`;
      const reply = await ask(url, { method: 'DELETE', headers, withinMs: 3_000 });
      // 404: a ledger restored from a backup older than the key lacks it.
      if (reply?.status === 204 || reply?.status === 404) this.#revokedAt = nowMs();
      return this.#revokedAt !== undefined || signal.aborted;
    }, REVOKED_WITHIN_MS);
  }
}

/** One user with one key, who signs in again after the session has ended. */
class ConsoleUser {
  key: MadeKey;
  readonly #name: string;
  readonly #users: ConsoleUsers;
  #cookie = '';
  /** When it signed in last; before that, when it got its key. */
  #since = nowMs();

  constructor(name: string, key: MadeKey, users: ConsoleUsers) {
    this.#name = name;
    this.key = key;
    this.#users = users;
  }

  /** One page after the other. */
  async read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(EVERY_MS);
      const isRevoked = this.#users.isRevoked(this.#name);
      if (this.#cookie === '' && !(await this.#signIn(signal)) && !isRevoked) continue;
      await this.#unlessSignedOut(this.#pageAtRandom());
    }
  }

  /** Each page until it is answered: in a short storm most pages may have been refused so far. */
  async readEveryPage(): Promise<void> {
    const known = this.#users.plan.wishes.find(({ acknowledged }) => acknowledged);
    const pages = [...LISTS.map((list) => [list]), ...(known ? [pagesOf(known), [searchOf(known)]] : [])];
    const signal = AbortSignal.timeout(SEEN_WITHIN_MS);
    for (const paths of pages)
      await waitUntil(
        async () => {
          if (this.#cookie === '') await this.#signIn(signal);
          return (await this.#unlessSignedOut(paths)) === 200 || signal.aborted;
        },
        SEEN_WITHIN_MS,
        EVERY_MS,
      );
  }

  /** The stream, reconnected whenever it ends. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(STREAM_AGAIN_MS);
      if (this.#cookie === '') continue;
      const stream: ConsoleStream = {
        sitting: this.#name,
        openedAt: nowMs(),
        endedAt: undefined,
        status: 0,
        events: 0,
      };
      this.#users.streams.push(stream);
      await this.#followOnce(stream, signal);
      stream.endedAt = nowMs();
    }
  }

  #pageAtRandom(): readonly string[] {
    const { plan, random } = this.#users;
    const [what, which] = [random.fraction(), random.fraction()];
    const payment = plan.wishes.filter(({ acknowledged }) => acknowledged)[Math.floor(which * plan.wishes.length)];
    const posted = plan.mailings.filter(({ postedAt }) => postedAt < nowMs());
    const campaign = posted[Math.floor(which * plan.mailings.length)];
    if (what < 0.2 && payment) return pagesOf(payment);
    if (what < 0.25 && payment) return [searchOf(payment)];
    if (what < 0.35 && campaign) return [`campaigns/${campaign.id}`, `campaigns/${campaign.id}/recipients?limit=100`];
    return [LISTS[Math.floor(which * LISTS.length)] ?? 'status'];
  }

  /** The status of the last page. A user whose key is revoked keeps the cookie. */
  async #unlessSignedOut(paths: readonly string[]): Promise<number | undefined> {
    let status: number | undefined;
    for (const path of paths) status = await this.#readPage(path);
    if (status === 401 && !this.#users.isRevoked(this.#name)) this.#cookie = '';
    return status;
  }

  async #readPage(path: string): Promise<number | undefined> {
    const at = nowMs();
    const reply = await this.#fetch(path);
    if (!reply) return undefined;
    const route = routeOf(path);
    this.#answered({ at, until: nowMs(), route, ...reply.seen }, reply.body);
    if (reply.seen.status === 200) this.#users.shown.push(...statesIn(reply.body, route, nowMs()));
    return reply.seen.status;
  }

  #answered(answer: Omit<ConsoleAnswer, 'sitting' | 'since'>, body: string): void {
    this.#users.answers.push({ sitting: this.#name, since: this.#since, ...answer });
    this.#users.bodies.push(body);
  }

  /** True: there is a session again. */
  async #signIn(signal: AbortSignal): Promise<boolean> {
    const at = nowMs();
    const reply = await this.#fetch('session', { key: this.key.secret });
    if (!reply) return false;
    this.#answered({ at, route: 'sign-in', ...reply.seen }, reply.body);
    const id = /relais=([0-9a-f]{64})/.exec(reply.cookie)?.[1];
    // A ledger restored from a backup older than the key lacks it.
    if (reply.seen.status === 401 && !this.#users.isRevoked(this.#name))
      this.key = (await this.#users.makeKey(this.#name, signal)) ?? this.key;
    if (reply.seen.status !== 200 || id === undefined) return false;
    this.#users.secrets.set(id, 'a session');
    this.#cookie = `relais=${id}`;
    this.#since = at;
    return true;
  }

  async #followOnce(stream: ConsoleStream, signal: AbortSignal): Promise<void> {
    try {
      const headers = { ...this.#headers(), accept: 'text/event-stream' };
      const answer = await fetch(`${this.#users.plan.api}/v1/stream`, { headers, signal });
      stream.status = answer.status;
      const decoder = new TextDecoder();
      let rest = '';
      for await (const piece of answer.body ?? []) {
        const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((one) => one.startsWith('data:'))) {
          stream.events += 1;
          this.#answered({ at: nowMs(), route: 'event', status: 200 }, line);
        }
      }
    } catch (error) {
      // The API was killed, or the storm is over.
      if (!(error instanceof Error)) throw error;
    }
  }

  #headers(): Readonly<Record<string, string>> {
    const { api } = this.#users.plan;
    return { cookie: this.#cookie, origin: api, 'sec-fetch-site': 'same-origin', 'x-relais-console': '1' };
  }

  /** With a body it is a POST. */
  async #fetch(path: string, body?: object) {
    try {
      const answer = await fetch(`${this.#users.plan.api}/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...this.#headers(), 'content-type': 'application/json' },
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const problem = /"type":"[^"]*\/problems\/([\w-]+)"/.exec(text)?.[1];
      const seen = { status: answer.status, problem };
      return { seen, body: text, cookie: answer.headers.get('set-cookie') ?? '' };
    } catch (error) {
      // No answer: the API was killed. A page repeats its request automatically.
      if (error instanceof Error) return undefined;
      throw error;
    }
  }
}

const pagesOf = ({ id }: Wish): readonly string[] => [`disbursements/${id}`, `explain/${id}`];
const searchOf = ({ reference }: Wish): string => `search?q=${reference}`;

/** A page by its name, without ids. */
function routeOf(path: string): string {
  const [bare = path] = path.split('?');
  if (/^disbursements\/./.test(bare)) return 'one';
  if (/^campaigns\/./.test(bare)) return bare.endsWith('/recipients') ? 'recipients' : 'campaign';
  return bare.startsWith('explain/') ? 'explain' : bare;
}

interface Shown {
  readonly id?: string;
  readonly state?: string;
}

/** Every payment with its state, and the paid total of the daily report. */
function statesIn(body: string, route: string, at: number): ShownState[] {
  const answer = JSON.parse(body) as {
    readonly items?: readonly Shown[];
    readonly rows?: readonly { readonly succeeded: { readonly xof: number } }[];
  } & Shown;
  if (route === 'reports/daily') {
    const xof = (answer.rows ?? []).reduce((sum, { succeeded }) => sum + succeeded.xof, 0);
    return [{ at, id: 'the report of the day', state: 'succeeded', xof }];
  }
  return [answer, ...(answer.items ?? [])].flatMap(({ id = '', state = '' }) =>
    id.startsWith('dsb_') && state !== '' ? [{ at, id, state }] : [],
  );
}
