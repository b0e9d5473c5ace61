/** A part of the running service: something to start, and the way to stop it again. */
export interface Part {
  readonly name: string;
  start(): Promise<() => Promise<void>>;
}

/**
 * Starts parts in order; whatever happens, stops those that started in the reverse of it. Stopping goes on past a
 * part that cannot.
 */
export async function startAll(parts: readonly Part[]): Promise<() => Promise<void>> {
  const stops: { name: string; stop: () => Promise<void> }[] = [];

  const stopAll = async (): Promise<void> => {
    const failures: Error[] = [];
    for (const { name, stop } of stops.splice(0).toReversed()) {
      await stop().catch((cause: unknown) => failures.push(new Error(`${name} did not stop`, { cause })));
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  };

  for (const part of parts) {
    try {
      stops.push({ name: part.name, stop: await part.start() });
    } catch (cause) {
      await stopAll();
      throw new Error(`${part.name} did not start: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
  }
  return stopAll;
}
