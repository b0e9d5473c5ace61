/** Those of a slice that are not sent to after all, although they wait, and those whose text waits for another. */
import { isPurged } from '../../operations/recipient-items.ts';
import type { OptOuts } from '../../operations/opt-outs.ts';
import type { UpstreamAccount } from '../../upstream/client.ts';
import type { HeldSlice } from './held-slice.ts';

/** Recipients that go out together, by position. */
export interface Group {
  readonly places: readonly number[];
  readonly part: boolean;
}

export class LeftOut {
  readonly #held: HeldSlice;
  readonly #account: UpstreamAccount;
  readonly #optOuts: Pick<OptOuts, 'among'>;
  /** The step has found opt-outs, so somebody may be in them. */
  optOutsMet = false;
  /** Marks of texts that are open elsewhere: theirs wait until that is over. */
  readonly busy = new Set<string>();
  /** Why somebody was left out in this attempt. */
  why: string | undefined;

  constructor(held: HeldSlice, account: UpstreamAccount, optOuts: Pick<OptOuts, 'among'>) {
    this.#held = held;
    this.#account = account;
    this.#optOuts = optOuts;
    // A person who was forgotten has no number to send to.
    this.#leaveOut(
      held.waiting.filter((place) => isPurged(held.texts.to(place))),
      'purged',
    );
  }

  /**
   * The groups without those whose time is over, those who have opted out by now, however long ago the file was
   * uploaded, and those who wait for the same text to be over.
   */
  async without(groups: readonly Group[]): Promise<readonly Group[]> {
    const places = groups.flatMap((group) => group.places);
    const expired = this.#held.expiredAmong(places);
    const optedOut = await this.#optedOutAmong(places);
    const out = new Set([...expired, ...optedOut, ...this.#held.among(places, this.busy)]);
    if (out.size === 0) return groups;
    this.#leaveOut(expired, 'expired');
    this.#leaveOut(
      optedOut.filter((place) => !expired.includes(place)),
      'opted_out',
    );
    return groups.flatMap(({ places: all, part }) => {
      const rest = all.filter((place) => !out.has(place));
      return rest.length > 0 ? [{ places: rest, part }] : [];
    });
  }

  async #optedOutAmong(places: readonly number[]): Promise<number[]> {
    if (!this.optOutsMet || places.length === 0) return [];
    const people = places.map((place) => ({ to: this.#held.texts.to(place), sender: this.#senderOf(place) }));
    const optedOut = await this.#optOuts.among(this.#held.record.account, people);
    return places.filter((_, index) => optedOut[index]);
  }

  #senderOf(place: number): string | undefined {
    const { campaign, texts } = this.#held;
    return (campaign ? campaign.from : texts.at(place).from) ?? this.#account.smsSender;
  }

  /** Senders whose lists of opt-outs must be empty: every sender, and those that these recipients would see. */
  sendersOf(groups: readonly Group[]): string[] {
    // A one-time password is what its owner asked for a moment ago, so opt-outs do not stop it.
    if (this.optOutsMet || this.#held.record.lane === 'otp') return [];
    // The recipients of a campaign all see the same one.
    const some = this.#held.campaign ? [0] : groups.flatMap(({ places }) => places);
    return [...new Set(['', ...some.flatMap((place) => this.#senderOf(place) ?? [])])];
  }

  #leaveOut(places: readonly number[], why: 'purged' | 'opted_out' | 'expired'): void {
    if (places.length === 0) return;
    this.why = why;
    this.#held.leaveOut(places, why === 'expired' ? 'e' : 'x');
  }
}
