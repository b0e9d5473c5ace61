/** Whether two names of senders are one: the service writes them in letters of its own. */
export function isSameSender(one: string, other: string): boolean {
  return one === other || one.trim().toLowerCase() === other.trim().toLowerCase();
}
