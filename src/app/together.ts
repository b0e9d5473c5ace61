import { type Part, startAll } from './parts.ts';

/**
 * Parts that owe each other nothing: started in order, and stopped all at once, so that stopping takes as long as the
 * slowest of them and not as all of them.
 */
export function together(name: string, parts: readonly Part[]): Part {
  return {
    name,
    start: async () => {
      const stops: (() => Promise<void>)[] = [];
      const stopAll = async (): Promise<void> => {
        const ended = await Promise.allSettled(stops.splice(0).map((stop) => stop()));
        const failures = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
        if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
      };
      try {
        for (const part of parts) stops.push(await startAll([part]));
      } catch (error) {
        await stopAll();
        throw error;
      }
      return stopAll;
    },
  };
}
