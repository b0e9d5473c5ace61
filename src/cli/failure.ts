/** A command that failed. `next`: what the user can do. */
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

/** The command line is invalid; nothing was tried. */
export class WrongUsage extends CommandFailed {
  override readonly name = 'WrongUsage';
}

/** The output of a read-only command was closed (`relais events | head -1`): it can stop. */
export class NobodyListens extends Error {
  override readonly name = 'NobodyListens';
}
