/** Limits the bytes of requests in memory, for each caller and for all callers together. */

/** The request fits after others have ended. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  /** The exceeded limit. */
  readonly of: 'caller' | 'process';
  readonly most: number;

  constructor(of: NoRoom['of'], most: number) {
    super(`the requests in progress of ${of === 'caller' ? 'one caller' : 'this process'} hold ${most} bytes`);
    this.of = of;
    this.most = most;
  }
}

/** Bytes that one request holds in memory. */
export interface Holding {
  /** Throws a NoRoom. A request never waits for room: it would grow meanwhile. */
  take(bytes: number): void;
  /** Like `take`, but returns false without room. */
  takeIfRoom(bytes: number): boolean;
  giveBack(bytes: number): void;
  /** Releases everything. Later calls count nothing. */
  end(): void;
}

export class HeldBytes {
  readonly #mostOfCaller: number;
  readonly #most: number;
  readonly #byCaller = new Map<string, number>();
  #bytes = 0;

  constructor({ ofCaller, ofProcess }: { readonly ofCaller: number; readonly ofProcess: number }) {
    this.#mostOfCaller = ofCaller;
    this.#most = ofProcess;
  }

  /** For one request of this caller. */
  open(caller: string): Holding {
    let [own, ended] = [0, false];
    const change = (bytes: number): void => {
      own += bytes;
      this.#change(caller, bytes);
    };
    const takeOr = (bytes: number): NoRoom | undefined => {
      const none = ended ? undefined : this.#lacking(caller, bytes);
      if (!ended && !none) change(bytes);
      return none;
    };
    return {
      take: (bytes) => {
        const none = takeOr(bytes);
        if (none) throw none;
      },
      takeIfRoom: (bytes) => takeOr(bytes) === undefined,
      giveBack: (bytes) => change(-Math.min(bytes, own)),
      end: () => {
        ended = true;
        change(-own);
      },
    };
  }

  #lacking(caller: string, bytes: number): NoRoom | undefined {
    if (this.#of(caller) + bytes > this.#mostOfCaller) return new NoRoom('caller', this.#mostOfCaller);
    return this.#bytes + bytes > this.#most ? new NoRoom('process', this.#most) : undefined;
  }

  #change(caller: string, bytes: number): void {
    this.#bytes += bytes;
    const of = this.#of(caller) + bytes;
    if (of === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, of);
  }

  #of(caller: string): number {
    return this.#byCaller.get(caller) ?? 0;
  }
}
