/** The way from a process to the store: slow, sometimes twice, sometimes without an answer. */
import type { MemoryStore } from '../support/memory-store.ts';
import type { Process, Surroundings } from './process.ts';

/** What the client throws when nobody knows whether the command was done. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** `each`: every answered write is durable. `fenced`: only what a fence has waited for is. */
export type Durability = 'each' | 'fenced';

export interface Commands {
  /** Answered, and done, but the answer is still on its way. */
  readonly inFlight: Set<() => void>;
  /** When the oldest write was made that a power loss could take. */
  atRiskSince: number;
}

export interface StoreLink extends Surroundings {
  readonly store: MemoryStore;
  readonly durability: Durability;
  readonly commands: Commands;
}

export function sendThrough(process: Process, link: StoreLink): <T>(command: () => T) => Promise<T> {
  const { chance, troubles } = link;
  return <T>(command: () => T) =>
    new Promise<T>((resolve, reject) => {
      const done = (): T => run(command, link);
      process.goOn(chance.upTo(5), () => {
        let answer = done();
        let lost = chance.happens(troubles.disconnect);
        // A client that lost its connection sends the command again on the next one, or gives up; unless the answer
        // had left before the power went.
        const again = (): void => {
          const fate = chance.pick(['heard', 'gives up', 'asks again']);
          if (fate === 'gives up') lost = true;
          if (fate === 'asks again') answer = done();
        };
        if (chance.happens(troubles.repeat)) answer = done();
        link.commands.inFlight.add(again);
        if (chance.happens(troubles.rollback)) rollBack(link);
        process.goOn(chance.upTo(5), () => {
          if (lost) reject(new ConnectionLost('Connection is closed.'));
          else resolve(answer);
        });
        link.timeline.after(5, () => link.commands.inFlight.delete(again));
      });
    });
}

/** What is older than this has reached the disk or the replica, fence or no fence. */
const LAG_MS = 10_000;

function run<T>(command: () => T, { store, durability, timeline, commands }: StoreLink): T {
  if (store.atRisk === 0) commands.atRiskSince = timeline.now;
  if (timeline.now - commands.atRiskSince > LAG_MS) store.makeDurable();
  const answer = command();
  if (durability === 'each') store.makeDurable();
  return answer;
}

/** Power loss, or a lagging replica takes over: the newest writes are gone; who waits for an answer may ask again. */
function rollBack(link: StoreLink): void {
  const { store, chance, counts } = link;
  if (store.atRisk === 0) return;
  store.lose(1 + chance.whole(store.atRisk));
  counts['rolled back'] = (counts['rolled back'] ?? 0) + 1;
  for (const again of link.commands.inFlight) again();
}

/** Resolves true when everything written before it can no longer be lost. */
export function fenceThrough(process: Process, link: StoreLink): () => Promise<boolean> {
  const send = sendThrough(process, link);
  return () =>
    send(() => {
      if (link.chance.happens(0.02)) return false;
      link.store.makeDurable();
      return true;
    });
}
