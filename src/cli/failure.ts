/** A command that did not do what it was asked. `next` says what the person can do about it. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed';
  readonly next: string | undefined;

  constructor(
    message: string,
    { next, cause }: { readonly next?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.next = next;
  }
}

/** The command line itself is wrong; nothing was tried. */
export class WrongUsage extends CommandFailed {
  override readonly name = 'WrongUsage';
}

/** The reader of a command that only reads has gone (`relais events | head -1`): there is no use in going on. */
export class NobodyListens extends Error {
  override readonly name = 'NobodyListens';
}
