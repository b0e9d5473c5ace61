/** Promises of the scripts that can be taken away, to see who notices. */
export interface StoreGuards {
  /** A change by somebody who does not hold the lease is refused. */
  readonly lease: boolean;
  /** Leases never repeat, even after a loss of data. */
  readonly randomLease: boolean;
  /** Taking a lease makes the operation due again when it ends. */
  readonly dueAfterLease: boolean;
  /** What is taken is due again in a moment, if nobody begins with it. */
  readonly afterTaking: 'due soon' | 'forgotten' | 'still due';
  /** A lease that has not ended is left to its holder. */
  readonly oneLease: boolean;
  /** A change from another state than the one that was read is refused. */
  readonly state: boolean;
}

export const ALL_GUARDS: StoreGuards = {
  lease: true,
  randomLease: true,
  dueAfterLease: true,
  afterTaking: 'due soon',
  oneLease: true,
  state: true,
};
