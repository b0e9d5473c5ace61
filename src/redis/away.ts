/** Is Redis away? What a client says, or fails to say, while its server restarts, fails over or hangs. */

/** A server that is there and takes no command for now. Before version 7 what a script was told stands in the middle. */
const REFUSES = /(?:^|: -)(READONLY|LOADING|OOM|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED) /;
/** The command cannot have left. */
const NOT_SENT =
  /^(Stream isn't writeable|Connection is closed)|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN/;
/** The command may have been carried out, and only its answer was lost. */
const NO_ANSWER =
  /^(Command timed out|Command aborted|Reached the max retries)|ECONNRESET|EPIPE|ETIMEDOUT|ECONNABORTED/;
/** A wrong password or certificate stays wrong. */
const NEVER = /WRONGPASS|NOAUTH|NOPERM|invalid username-password|certificate/;

/** Whether a command was carried out all the same; undefined: it is not about Redis being away. */
export function howAway(error: unknown): 'not done' | 'maybe done' | undefined {
  if (!(error instanceof Error)) return undefined;
  const told = [error.message, error.cause instanceof Error ? error.cause.message : ''];
  const says = (words: RegExp): boolean => told.some((message) => words.test(message));
  if (says(NEVER)) return undefined;
  if (error.name === 'RedisUnavailable' || says(REFUSES) || says(NOT_SENT)) return 'not done';
  return error.name === 'MaxRetriesPerRequestError' || says(NO_ANSWER) ? 'maybe done' : undefined;
}

export function isAway(error: unknown): boolean {
  return howAway(error) !== undefined;
}
