/**
 * Complete but wrong answers, and a provider that contradicts itself. The fate of a token or number depends on the
 * seed and its name, not on the order of requests.
 */
import { derivedHex } from '../../src/lib/ids.ts';
import { nowMs } from './clock.ts';
import { isCreate, isLook, isSend, isSubmit, submitNames } from './traffic.ts';
import type { Bend, Exchange } from './tap.ts';
import type { Scenario } from './scenarios.ts';

/** How long the provider repeats a false status: longer than the interval of two checks. */
const LIES_FOR_MS = 6_000;

const fates = {
  'is failed once': { system: 'contradictions', share: 0.04 },
  'is failed for long': { system: 'contradictions', share: 0.02 },
  'has no identity once': { system: 'damage', share: 0.04 },
  'never has an identity': { system: 'damage', share: 0.004 },
  'is another once': { system: 'damage', share: 0.01 },
  'is another amount once': { system: 'damage', share: 0.01 },
} as const satisfies Record<string, { system: Scenario; share: number }>;
type Fate = keyof typeof fates;

/** Tokens issued twice, and SMS whose item reports an unknown failure code. */
const SHARE_OF_TOKENS_GIVEN_TWICE = 0.004;
const SHARE_OF_TEXTS_REFUSED = 0.01;
const NO_SUCCESS = ['FAILED', 'error_110', '400', '', 'REJECTED', 'null'] as const;

export class Damage {
  readonly counts: Record<string, number> = {};
  /** Tokens with a false failure that lasted long enough to be trusted, and the time of its correction. */
  readonly longLies = new Map<string, number>();
  readonly #seed: number;
  readonly #scenarios: ReadonlySet<Scenario>;
  readonly #seen = new Set<string>();
  #given: { readonly token: string; readonly at: number }[] = [];
  #over = false;

  constructor(seed: number, scenarios: ReadonlySet<Scenario>) {
    this.#seed = seed;
    this.#scenarios = scenarios;
  }

  /** No new false statuses from now on; running ones continue to their end. */
  end(): void {
    this.#over = true;
  }

  /** A backup from then was restored: the used tokens since are recorded nowhere. */
  forgetSince(copiedAt: number): void {
    this.#given = this.#given.filter(({ at }) => at < copiedAt);
  }

  bend(exchange: Exchange): Bend | undefined {
    // Only used tokens are issued twice: a token that was never recorded cannot be recognised.
    if (isSubmit(exchange)) this.#given.push({ token: submitNames(exchange).token, at: nowMs() });
    if (isLook(exchange)) return this.#look(submitNames(exchange).token);
    if (isCreate(exchange)) return this.#create();
    if (isSend(exchange)) return this.#send();
    return undefined;
  }

  #draw(what: string, name: string): number {
    return Number.parseInt(derivedHex(what, String(this.#seed), name).slice(0, 8), 16) / 0x1_0000_0000;
  }

  #fateOf(token: string): Fate | undefined {
    let left = this.#draw('fate', token);
    for (const [fate, { system, share }] of Object.entries(fates)) {
      left -= share;
      if (left < 0) return this.#scenarios.has(system) ? (fate as Fate) : undefined;
    }
    return undefined;
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #look(token: string): Bend | undefined {
    const fate = this.#fateOf(token);
    if (fate === undefined) return undefined;
    return { answer: (body) => this.#told(token, fate, body) };
  }

  /** The false answer instead of the true one. */
  #told(token: string, fate: Fate, body: string): string {
    const said = JSON.parse(body) as Record<string, unknown>;
    const last = said['status'] === 'success' || said['status'] === 'failed';
    const first = !this.#seen.has(token);
    if (fate === 'is failed for long') {
      if (first && this.#over) return body;
      this.#seen.add(token);
      if (first) this.longLies.set(token, nowMs() + LIES_FOR_MS);
      if (nowMs() > (this.longLies.get(token) ?? 0)) return body;
      return this.#changed(fate, said, { status: 'failed', disburse_id: said['disburse_id'] });
    }
    if (!first && fate !== 'never has an identity') return body;
    if (first && this.#over) return body;
    if (fate === 'is failed once') {
      this.#seen.add(token);
      return said['disburse_id'] === undefined ? body : this.#changed(fate, said, { status: 'failed' });
    }
    if (!last) return body;
    this.#seen.add(token);
    if (fate === 'is another once') {
      const other = this.#given.find((given) => given.token !== token)?.token ?? 'another';
      return this.#changed(fate, said, { token: other, disburse_id: derivedHex('nobody', token) });
    }
    if (fate === 'is another amount once') return this.#changed(fate, said, { amount: '1.00' });
    return this.#changed(fate, said, { disburse_id: undefined });
  }

  #changed(what: string, said: Record<string, unknown>, changes: Record<string, unknown>): string {
    this.#count(what);
    return JSON.stringify({ ...said, ...changes });
  }

  #create(): Bend | undefined {
    if (!this.#scenarios.has('damage')) return undefined;
    return {
      answer: (body) => {
        const said = JSON.parse(body) as Record<string, unknown>;
        const token = said['disburse_token'];
        if (typeof token !== 'string') return body;
        const place = Math.floor(this.#draw('given', token) * this.#given.length);
        const earlier = this.#given[place]?.token;
        if (!this.#over && earlier && this.#draw('twice', token) < SHARE_OF_TOKENS_GIVEN_TWICE)
          return this.#changed('a token given twice', said, { disburse_token: earlier });
        return body;
      },
    };
  }

  /** Some SMS are removed from the request, and their items report unknown failure codes. */
  #send(): Bend | undefined {
    if (!this.#scenarios.has('damage') || this.#over) return undefined;
    let refused: Item[] = [];
    let all: Item[] = [];
    return {
      request: (body) => {
        const said = JSON.parse(body) as { send_sms_request: { sms: Item[] } };
        all = said.send_sms_request.sms;
        refused = all.filter(({ to }) => this.#draw('text', to) < SHARE_OF_TEXTS_REFUSED);
        // A request without SMS would be refused as a whole.
        if (refused.length === all.length) refused = [];
        if (refused.length === 0) return body;
        said.send_sms_request.sms = all.filter((item) => !refused.includes(item));
        return JSON.stringify(said);
      },
      answer: (body) => {
        const said = JSON.parse(body) as { code?: string; data?: { sms?: Listed[] } };
        if (refused.length === 0 || said.code !== '00' || !said.data?.sms) return body;
        const listed = new Map(said.data.sms.map((item) => [item.receiver_address, item]));
        for (const item of refused) {
          const code = NO_SUCCESS[Math.floor(this.#draw('word', item.to) * NO_SUCCESS.length)] ?? '';
          const { to, from, text } = item;
          listed.set(to, { code, sender_addresss: from, receiver_address: to, text });
          this.#count('a text refused in other words');
        }
        const sms = all.flatMap(({ to }) => listed.get(to) ?? []);
        return JSON.stringify({ ...said, data: { ...said.data, sms } });
      },
    };
  }
}

interface Item {
  readonly to: string;
  readonly from: string;
  readonly text: string;
}

interface Listed {
  readonly code: string;
  readonly receiver_address: string;
  readonly sender_addresss: string;
  readonly text: string;
}
