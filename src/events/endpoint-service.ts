/** Registration of endpoints. A secret is shown only when it is created. */
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Secret } from '../lib/secret.ts';
import type { Act } from '../ledger/acts.ts';
import type { Endpoint, Endpoints, NewEndpoint } from '../ledger/endpoints.ts';
import type { EventStream, PlacedHead } from '../ledger/event-stream.ts';
import { anEvent } from './catalogue.ts';
import { type EndpointRules, checkEndpointUrl, placeOfEndpoint } from './outgoing/endpoint.ts';
import { type Message, message } from '../messages/message.ts';
import {
  type OwnHeaders,
  type createWebhookSender,
  failureIn,
  openEndpointHeaders,
  openEndpointSecrets,
  sealEndpointHeaders,
  sealEndpointSecret,
  newEndpointSecret,
} from './outgoing/webhook-sender.ts';
import type { Public } from '../lib/public.ts';

export interface EndpointServiceOptions {
  readonly endpoints: Omit<Public<Endpoints>, 'dispatch' | 'due' | 'take' | 'settle'>;
  readonly events: Pick<EventStream, 'heads' | 'find' | 'before'>;
  readonly random: Random;
  /** The first encrypts, all of them decrypt. None: endpoints cannot be registered. */
  readonly secrets: readonly Secret[];
  readonly rules: EndpointRules;
  readonly wake: () => void;
  readonly post: ReturnType<typeof createWebhookSender>;
  readonly clock: Clock;
}

export interface Registration extends Omit<NewEndpoint, 'headers'> {
  readonly headers?: OwnHeaders | undefined;
}

/** A test delivery: the request, the answer and the time in between. */
export interface Tested {
  readonly taken: boolean;
  /** As in the list of deliveries. */
  readonly answer: string;
  readonly error: Message | null;
  readonly ms: number;
  /** null: nothing could be sent. */
  readonly request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  } | null;
  /** null: the endpoint did not answer. */
  readonly response: { readonly status: number; readonly body: string } | null;
}

/** Nothing was done, because of this rule. */
interface Refusal {
  readonly problem: Message;
  readonly rule: 'setting' | 'limit';
}

export type Registered = { readonly id: string; readonly secret: Secret } | Refusal;

/** Number of re-encrypted endpoints, and the ids of those whose secret no key decrypts. */
export interface Resealed {
  readonly resealed: number;
  readonly unreadable: readonly string[];
}

/** While receivers change to the new secret, the old one signs too. */
const BOTH_SECRETS_MS = 86_400_000;
const REPLAY_MOST = 100_000;
const AT_A_TIME = 1_000;
const ANSWER_BYTES = 1_000;
const NO_KEY = {
  problem: message('sealing_secret_missing'),
  rule: 'setting',
} as const;

export class EndpointService {
  readonly #options: EndpointServiceOptions;

  constructor(options: EndpointServiceOptions) {
    this.#options = options;
  }

  /** The problem of an address, as a sentence for its owner. */
  problemOf(url: string): Message | undefined {
    const problem = checkEndpointUrl(url, this.#options.rules);
    return problem && message(`endpoint_${problem}`);
  }

  /** `headersProblem` has checked the headers. */
  async register({ headers, ...endpoint }: Registration, act?: Act): Promise<Registered> {
    const { endpoints, random } = this.#options;
    const id = endpoints.newId();
    const made = this.#newSecret();
    if (!made) return NO_KEY;
    const sealed = sealEndpointSecret(made.secret, made.key, id, random);
    const registered = act && { ...act, target: id, facts: { url: placeOfEndpoint(endpoint.url) } };
    const own = headers && {
      names: Object.keys(headers),
      encrypted: sealEndpointHeaders(headers, made.key, id, random),
    };
    if (!(await endpoints.add(id, { ...endpoint, headers: own }, sealed, registered))) {
      return { problem: message('too_many_endpoints'), rule: 'limit' };
    }
    return { id, secret: made.secret };
  }

  /** Creates another secret, shown only here. For a day deliveries are signed with both. */
  async rotate(id: string, act?: Act): Promise<Registered> {
    const made = this.#newSecret();
    if (!made) return NO_KEY;
    const { endpoints, random } = this.#options;
    const sealed = sealEndpointSecret(made.secret, made.key, id, random);
    await endpoints.rotate(id, sealed, { bothForMs: BOTH_SECRETS_MS, act });
    return { id, secret: made.secret };
  }

  /**
   * Encrypts every secret with the newest callback secret, so that older ones can be removed. Secrets that none
   * decrypts are unchanged and listed: their deliveries cannot be signed until the secret is replaced.
   */
  async reseal(act?: (endpoint: string) => Act): Promise<Resealed | Refusal> {
    const { endpoints, random, secrets } = this.#options;
    const [key] = secrets;
    if (!key) return NO_KEY;
    const unreadable: string[] = [];
    let resealed = 0;
    for (const { id } of await endpoints.all()) {
      const kept = await endpoints.sealedSecrets(id);
      const opened = kept.map((text) => openEndpointSecrets([text], secrets, id)[0]);
      if (opened.includes(undefined)) unreadable.push(id);
      if (opened.every((secret) => secret === undefined)) continue;
      const again = kept.map((text, at) => {
        const secret = opened[at];
        return secret ? sealEndpointSecret(secret, key, id, random) : text;
      });
      const headers = await this.#headersAgain(id, key);
      if (headers === 'unreadable' && !unreadable.includes(id)) unreadable.push(id);
      const both = { kept, again, headers: headers === 'unreadable' ? undefined : headers, act: act?.(id) };
      if (await endpoints.reseal(id, both)) resealed += 1;
    }
    return { resealed, unreadable };
  }

  /** Resends one event, delivered or not. False: the endpoint does not subscribe to it, or it is too old. */
  async resend(endpoint: Endpoint, event: string, act?: Act): Promise<boolean> {
    const { endpoints, events, wake } = this.#options;
    const found = await events.find(event, REPLAY_MOST);
    if (!found || !wantsKind(endpoint, found)) return false;
    await endpoints.replay(endpoint.id, [found.place], act);
    wake();
    return true;
  }

  /** Resends the endpoint's events since then, delivered or not; earliest first. */
  async replay(endpoint: Endpoint, sinceMs: number, act?: Act): Promise<{ replayed: number; complete: boolean }> {
    const { endpoints, events, wake } = this.#options;
    let cursor = await events.before(sinceMs);
    let replayed = 0;
    let more = true;
    await endpoints.replay(endpoint.id, [], act);
    while (more && replayed < REPLAY_MOST) {
      const page = await events.heads(cursor, AT_A_TIME);
      const places = page.filter((event) => wantsKind(endpoint, event)).map(({ place }) => place);
      if (places.length > 0) await endpoints.replay(endpoint.id, places);
      replayed += places.length;
      more = page.length === AT_A_TIME;
      cursor = page.at(-1)?.place ?? cursor;
    }
    if (replayed > 0) wake();
    return { replayed, complete: !more };
  }

  /** Sends a signed test delivery to this endpoint only. It is not stored and not retried. */
  async test({ id, url, accounts }: Endpoint): Promise<Tested> {
    const { endpoints, clock, random, post } = this.#options;
    const event = anEvent('endpoint.tested', {
      account: accounts[0] ?? 'main',
      timestamp: new Date(clock.now()).toISOString(),
      data: { id, url: placeOfEndpoint(url) },
    });
    // A separate id: a receiver that remembers ids then does not confuse a test with an event or another test.
    const letter = { ...event, id: `${id}-test-${random.hex(8)}.1` };
    const [secrets, headers] = await Promise.all([endpoints.sealedSecrets(id), endpoints.sealedHeaders(id)]);
    const body = JSON.stringify(letter);
    const since = clock.monotonic();
    const sent = await post({ id, url, secrets, headers }, { id: letter.id, body }, ANSWER_BYTES);
    const { taken, answer, reply } = sent;
    return {
      taken,
      answer,
      error: taken ? null : failureIn(answer),
      ms: Math.round(clock.monotonic() - since),
      request: sent.headers ? { url, headers: sent.headers, body } : null,
      response: reply ? { status: reply.status, body: reply.text } : null,
    };
  }

  async #headersAgain(
    id: string,
    key: Secret,
  ): Promise<{ readonly kept: string; readonly again: string } | 'unreadable' | undefined> {
    const { endpoints, random, secrets } = this.#options;
    const kept = await endpoints.sealedHeaders(id);
    if (kept === undefined) return undefined;
    const opened = openEndpointHeaders(kept, secrets, id);
    return opened === undefined ? 'unreadable' : { kept, again: sealEndpointHeaders(opened, key, id, random) };
  }

  #newSecret(): { secret: Secret; key: Secret } | undefined {
    const [key] = this.#options.secrets;
    return key && { secret: newEndpointSecret(this.#options.random), key };
  }
}

/** Events of its types and accounts, at any time. */
function wantsKind({ types, accounts }: Endpoint, event: PlacedHead): boolean {
  const isOfType = types.length === 0 || types.includes(event.type);
  return isOfType && (accounts.length === 0 || accounts.includes(event.account));
}
