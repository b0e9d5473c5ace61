/**
 * The witness in history: how far Redis had come, as the last process that knew it wrote it down. It knows what the
 * witness file knows, and is still there when the machine is not.
 */
import { type Beat, type WitnessWord, witnessWord } from '../operations/witness-word.ts';
import { askOnce } from './ask-once.ts';

/** Somebody waits for a process to start, or to end. */
const WAITS = { connectMs: 2_000, statementMs: 2_000 };

/** The fact under which it stands. */
export const BEAT = 'beat';

export function beatAsTold(told: string | undefined): WitnessWord | undefined {
  return told === undefined ? undefined : witnessWord.parse(JSON.parse(told));
}

export class HistoryWitness {
  readonly #url: string;
  readonly #place: string;
  #isHeard = false;

  constructor(url: string, place: string) {
    this.#url = url;
    this.#place = place;
  }

  /** It has been asked, and has answered. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** What was last known here, of whichever deployment. */
  isOfThisPlace({ place }: WitnessWord): boolean {
    return place === this.#place;
  }

  /** What is known of this deployment, or of a Redis at this place that knows of none. Throws while history is away. */
  async tell(deployment: string | undefined): Promise<Beat | undefined> {
    const told = await askOnce(this.#url, WAITS, async (client) => {
      const { rows } = await client.query<{ value: string }>('select value from relais.facts where name = $1', [
        BEAT,
      ]);
      return beatAsTold(rows[0]?.value);
    });
    this.#isHeard = true;
    if (told === undefined) return undefined;
    const isOurs = deployment === undefined ? this.isOfThisPlace(told) : told.deployment === deployment;
    return isOurs ? told : undefined;
  }

  /** As it is written: with the place. Undefined: nothing is known. */
  wordOf(beat: Beat): string | undefined {
    return beat.epoch === '' ? undefined : JSON.stringify({ ...beat, place: this.#place });
  }

  /**
   * The last word of a process that ends, where history is kept already; never less than stands there, and nothing over
   * what could not be heard.
   */
  async keep(beat: Beat): Promise<void> {
    const word = this.wordOf(beat);
    if (word === undefined || !this.#isHeard) return;
    await askOnce(this.#url, WAITS, async (client) => {
      await client.query(
        `update relais.facts set value = $1 where name = $2
          and (value::jsonb->>'deployment' <> $3 or (value::jsonb->>'counter')::numeric < $4)`,
        [word, BEAT, beat.deployment, beat.counter],
      );
    });
  }
}
