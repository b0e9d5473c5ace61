/**
 * Somebody at the console while everything breaks: what its pages ask, over the routes and with the cookie that they
 * use, and the stream that keeps them true. In the middle of it the key is revoked, and its holder goes on trying;
 * a second person signs in and looks on to the end.
 */
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Wish } from './caller.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask } from './http.ts';
import { KEEPER_SECRET } from './plan.ts';
import type { ConsoleAnswer, ConsoleStream, SeenConsole, ShownState } from './story.ts';
import type { Mailing } from './texts.ts';

const EVERY_MS = 120;
const ANSWER_WITHIN_MS = 10_000;
/** As a part of the storm. */
const REVOKED_AT = 0.55;
const MADE_WITHIN_MS = 60_000;
/** All processes may be stopped for a restore meanwhile, and thousands of payments be recovered after it. */
const REVOKED_WITHIN_MS = 300_000;
const PAUSED_MS = 300;
/** A browser comes back to the stream after so long. */
const STREAM_AGAIN_MS = 1_000;
/** After the last words of relais: how long somebody whose key is gone still tries. */
const TRIES_ON_MS = 5_000;
/** A page that was not seen by then is told as such. */
const SEEN_WITHIN_MS = 60_000;

const ROLES = ['read', 'enqueue', 'operate'] as const;

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

/** A page of the console, asked as its browser would; `in` is what stands in the path. */
interface Page {
  readonly route: string;
  readonly path: string;
}

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

export class ConsoleUsers {
  readonly #plan: ConsolePlan;
  readonly #random: Random;
  readonly #answers: ConsoleAnswer[] = [];
  readonly #shown: ShownState[] = [];
  readonly #streams: ConsoleStream[] = [];
  readonly #secrets = new Map<string, string>();
  readonly #bodies: string[] = [];
  #revokedAt: number | undefined;
  #acts = 0;

  constructor(plan: ConsolePlan) {
    this.#plan = plan;
    this.#random = seededRandom(plan.seed + 23);
  }

  /** What it was given and nobody else may ever see, by what it is. */
  get secrets(): ReadonlyMap<string, string> {
    return this.#secrets;
  }

  /** All that it was answered. */
  get bodies(): readonly string[] {
    return this.#bodies;
  }

  get seen(): SeenConsole {
    return {
      answers: this.#answers,
      shown: this.#shown,
      streams: this.#streams,
      revokedAt: this.#revokedAt,
      acts: this.#acts,
    };
  }

  /** Until the signal fires. */
  async live(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const first = await this.#sitting('first', signal);
    const looking = first?.look(signal);
    const following = first?.follow(signal);
    await this.#until(REVOKED_AT * this.#plan.overMs, signal);
    if (first) await this.#revoke(first, signal);
    const second = await this.#sitting('second', signal);
    await Promise.all([looking, following, second?.look(signal), second?.follow(signal)]);
    // The holder of the key is still there for a while.
    const tries = AbortSignal.any([over.signal, AbortSignal.timeout(TRIES_ON_MS)]);
    await Promise.all([first?.look(tries), second?.lookAround()]);
    over.abort();
  }

  async #until(ms: number, signal: AbortSignal): Promise<void> {
    await waitUntil(() => signal.aborted, ms, EVERY_MS);
  }

  async #sitting(name: string, signal: AbortSignal): Promise<Sitting | undefined> {
    const key = await this.#makeKey(name, signal);
    return key && new Sitting({ name, key, plan: this.#plan, random: this.#random, notes: this.#notes() });
  }

  #notes(): Notes {
    return {
      answered: (answer, body) => {
        this.#answers.push(answer);
        this.#bodies.push(body);
      },
      shown: (states) => void this.#shown.push(...states),
      opened: (stream) => void this.#streams.push(stream),
      secret: (what, text) => void this.#secrets.set(text, what),
      acted: () => void (this.#acts += 1),
      isRevoked: (name) => name === 'first' && this.#revokedAt !== undefined,
      makeKey: (name, signal) => this.#makeKey(name, signal),
    };
  }

  /** By the one who keeps the keys, and with patience: relais may be away. */
  async #makeKey(name: string, signal: AbortSignal): Promise<MadeKey | undefined> {
    const body = { name: `desk-${name}`, roles: ROLES, person: `desk-${name}` };
    let made: MadeKey | undefined;
    await waitUntil(async () => {
      const headers = { authorization: `Bearer ${KEEPER_SECRET}` };
      const reply = await ask(`${this.#plan.api}/v1/keys`, { method: 'POST', body, headers, withinMs: 3_000 });
      if (reply?.status === 201) made = reply.body as MadeKey;
      return made !== undefined || signal.aborted;
    }, MADE_WITHIN_MS);
    if (made) this.#secrets.set(made.secret, 'a key that was made');
    return made;
  }

  /** It counts from the answer on: before that nobody has been told that it is revoked. */
  async #revoke(first: Sitting, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${KEEPER_SECRET}` };
    await waitUntil(async () => {
      const url = `${this.#plan.api}/v1/keys/${first.key.id}`;
      const reply = await ask(url, { method: 'DELETE', headers, withinMs: 3_000 });
      // A copy that is older than the key knows nothing of it: there is nothing to revoke.
      if (reply?.status === 204 || reply?.status === 404) this.#revokedAt = nowMs();
      return this.#revokedAt !== undefined || signal.aborted;
    }, REVOKED_WITHIN_MS);
  }
}

interface Notes {
  readonly answered: (answer: ConsoleAnswer, body: string) => void;
  readonly shown: (states: readonly ShownState[]) => void;
  readonly opened: (stream: ConsoleStream) => void;
  readonly secret: (what: string, text: string) => void;
  readonly acted: () => void;
  readonly isRevoked: (name: string) => boolean;
  readonly makeKey: (name: string, signal: AbortSignal) => Promise<MadeKey | undefined>;
}

interface SittingPlan {
  readonly name: string;
  readonly key: MadeKey;
  readonly plan: ConsolePlan;
  readonly random: Random;
  readonly notes: Notes;
}

/** One person with one key, who signs in again where the session is gone. */
class Sitting {
  key: MadeKey;
  readonly #asked: SittingPlan;
  #cookie = '';
  #signedInAt: number | undefined;

  constructor(asked: SittingPlan) {
    this.#asked = asked;
    this.key = asked.key;
  }

  /** One page after the other. */
  async look(signal: AbortSignal): Promise<void> {
    const { name, notes } = this.#asked;
    while (!signal.aborted) {
      await wait(EVERY_MS);
      if (this.#cookie === '' && !(await this.#signIn(signal)) && !notes.isRevoked(name)) continue;
      const status = await this.#turnAPage();
      // Somebody whose key is gone goes on with the cookie that is left.
      if (status === 401 && !notes.isRevoked(name)) this.#cookie = '';
    }
  }

  /** Each page once more, when the weather is over: in a short storm most of them were only ever told that Redis is away. */
  async lookAround(): Promise<void> {
    const { plan } = this.#asked;
    const lists = LISTS.map((list) => () => this.#readList(list));
    const known = plan.wishes.filter(({ acknowledged }) => acknowledged).slice(0, 1);
    const ones = known.flatMap((one) => [() => this.#readOne(one), () => this.#search(one)]);
    const signal = AbortSignal.timeout(SEEN_WITHIN_MS);
    for (const turn of [...lists, ...ones])
      await waitUntil(
        async () => {
          if (this.#cookie === '') await this.#signIn(signal);
          const status = await turn();
          if (status === 401) this.#cookie = '';
          return status === 200 || signal.aborted;
        },
        SEEN_WITHIN_MS,
        EVERY_MS,
      );
  }

  async #turnAPage(): Promise<number | undefined> {
    const { random, plan } = this.#asked;
    const [what, which] = [random.fraction(), random.fraction()];
    const one = plan.wishes.filter(({ acknowledged }) => acknowledged)[Math.floor(which * plan.wishes.length)];
    const mailing = plan.mailings.filter(({ postedAt }) => postedAt < nowMs())[
      Math.floor(which * plan.mailings.length)
    ];
    if (what < 0.2 && one) return this.#readOne(one);
    if (what < 0.25 && one) return this.#search(one);
    if (what < 0.35 && mailing) return this.#readCampaign(mailing);
    if (what < 0.4 && mailing?.fate === 'left alone') return this.#pause(mailing);
    return this.#readList(LISTS[Math.floor(which * LISTS.length)] ?? 'status');
  }

  #readList(list: (typeof LISTS)[number]): Promise<number | undefined> {
    return this.#read({ route: list.split('?')[0] ?? list, path: list });
  }

  #search({ reference }: Wish): Promise<number | undefined> {
    return this.#read({ route: 'search', path: `search?q=${reference}` });
  }

  async #readOne({ id }: Wish): Promise<number | undefined> {
    await this.#read({ route: 'one', path: `disbursements/${id}` });
    return this.#read({ route: 'explain', path: `explain/${id}` });
  }

  async #readCampaign({ id }: Mailing): Promise<number | undefined> {
    await this.#read({ route: 'campaign', path: `campaigns/${id}` });
    return this.#read({ route: 'recipients', path: `campaigns/${id}/recipients?limit=100` });
  }

  /** What is paused goes on again: whatever is lost of it, whoever watches campaigns has it go on. */
  async #pause({ id }: Mailing): Promise<number | undefined> {
    const { notes } = this.#asked;
    const paused = await this.#ask({ route: 'pause', path: `campaigns/${id}/pause` }, 'POST');
    if (paused !== 200) return paused;
    notes.acted();
    await wait(PAUSED_MS);
    return this.#ask({ route: 'resume', path: `campaigns/${id}/resume` }, 'POST');
  }

  #read(page: Page): Promise<number | undefined> {
    return this.#ask(page, 'GET');
  }

  async #ask({ route, path }: Page, method: 'GET' | 'POST'): Promise<number | undefined> {
    const { name, notes } = this.#asked;
    const at = nowMs();
    const reply = await this.#fetch(path, method, method === 'POST' ? '{}' : undefined);
    if (!reply) return undefined;
    notes.answered({ sitting: name, since: this.#signedInAt, at, until: nowMs(), route, ...reply.said }, reply.body);
    if (reply.said.status === 200) notes.shown(statesIn(reply.body, route, nowMs()));
    return reply.said.status;
  }

  /** True: there is a session again. */
  async #signIn(signal: AbortSignal): Promise<boolean> {
    const { name, notes } = this.#asked;
    const at = nowMs();
    const reply = await this.#fetch('session', 'POST', JSON.stringify({ key: this.key.secret }));
    if (!reply) return false;
    notes.answered({ sitting: name, since: this.#signedInAt, at, route: 'sign-in', ...reply.said }, reply.body);
    const id = /relais=([0-9a-f]{64})/.exec(reply.cookie)?.[1];
    if (reply.said.status === 401 && !notes.isRevoked(name)) {
      // The key is younger than a copy that was put back.
      this.key = (await notes.makeKey(name, signal)) ?? this.key;
    }
    if (reply.said.status !== 200 || id === undefined) return false;
    notes.secret('a session', id);
    this.#cookie = `relais=${id}`;
    this.#signedInAt = at;
    return true;
  }

  /** The stream, come back to after each break, for as long as somebody sits there. */
  async follow(signal: AbortSignal): Promise<void> {
    const { name, notes } = this.#asked;
    while (!signal.aborted) {
      await wait(STREAM_AGAIN_MS);
      if (this.#cookie === '') continue;
      const stream: ConsoleStream = { sitting: name, openedAt: nowMs(), endedAt: undefined, status: 0, events: 0 };
      notes.opened(stream);
      await this.#followOnce(stream, signal);
      stream.endedAt = nowMs();
    }
  }

  async #followOnce(stream: ConsoleStream, signal: AbortSignal): Promise<void> {
    const { notes, plan } = this.#asked;
    try {
      const headers = { ...this.#headers(), accept: 'text/event-stream' };
      const answer = await fetch(`${plan.api}/v1/stream`, { headers, signal });
      stream.status = answer.status;
      const words = new TextDecoder();
      let rest = '';
      for await (const piece of answer.body ?? []) {
        const lines = `${rest}${words.decode(piece, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((one) => one.startsWith('data:'))) {
          stream.events += 1;
          notes.answered(
            { sitting: stream.sitting, since: this.#signedInAt, at: nowMs(), route: 'event', status: 200 },
            line,
          );
        }
      }
    } catch (error) {
      // The door was killed, or everybody goes home.
      if (!(error instanceof Error)) throw error;
    }
  }

  #headers(): Readonly<Record<string, string>> {
    const { api } = this.#asked.plan;
    return { cookie: this.#cookie, origin: api, 'sec-fetch-site': 'same-origin', 'x-relais-console': '1' };
  }

  async #fetch(path: string, method: 'GET' | 'POST', body: string | undefined) {
    const { api } = this.#asked.plan;
    try {
      const answer = await fetch(`${api}/v1/${path}`, {
        method,
        headers: { ...this.#headers(), 'content-type': 'application/json' },
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.text();
      const said = { status: answer.status, problem: problemIn(text) };
      return { said, body: text, cookie: answer.headers.get('set-cookie') ?? '' };
    } catch (error) {
      // No answer: the door was killed. A page asks again by itself.
      if (error instanceof Error) return undefined;
      throw error;
    }
  }
}

/** The last part of its type; absent: it is no refusal of ours. */
function problemIn(text: string): string | undefined {
  return /"type":"[^"]*\/problems\/([\w-]+)"/.exec(text)?.[1];
}

const OF_MONEY = /^dsb_/;

/** Every disbursement that an answer shows in a state, and what a day's report says was paid. */
function statesIn(body: string, route: string, at: number): ShownState[] {
  const said = JSON.parse(body) as {
    readonly items?: readonly Shown[];
    readonly rows?: readonly { readonly succeeded: { readonly xof: number } }[];
  } & Shown;
  if (route === 'reports/daily') {
    const xof = (said.rows ?? []).reduce((sum, { succeeded }) => sum + succeeded.xof, 0);
    return [{ at, id: 'the report of the day', state: 'succeeded', xof }];
  }
  return [said, ...(said.items ?? [])].flatMap(({ id = '', state = '' }) =>
    OF_MONEY.test(id) && state !== '' ? [{ at, id, state }] : [],
  );
}

interface Shown {
  readonly id?: string;
  readonly state?: string;
}
