/** One act of a user or program, as the audit log records it. */
export interface Act {
  /** Name of the API key, or `sql:<role>`. */
  readonly by: string;
  /** The user or program behind the key; empty: unknown. */
  readonly person: string;
  readonly role: string;
  /** Entry point. */
  readonly source: 'api' | 'console' | 'link' | 'settings' | 'sql' | 'intake';
  readonly requestId: string;
  readonly act: string;
  readonly target: string;
  /** State before the act. No phone number, SMS text or secret, here and in `facts`. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  /** State after the act. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}
