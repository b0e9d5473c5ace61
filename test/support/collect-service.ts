/** All roles and the sandbox, with short poll intervals. */
import { type Service, startService } from './service.ts';

export interface CollectService extends Service {
  /** Orders a fault of the sandbox; for a single use by default. */
  fault(fault: string, more?: object): Promise<void>;
  post(path: string, body: unknown, identity?: string): ReturnType<Service['call']>;
  /** Types of the events about one operation, in order, with their other data. */
  eventsOf(id: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
}

export async function startCollectService(env: Readonly<Record<string, string>> = {}): Promise<CollectService> {
  const service = await startService({ INVOICE_POLL: '100ms', PAYMENT_REQUEST_POLL: '100ms', ...env });
  return {
    ...service,
    fault: async (fault, more = {}) => {
      await service.control('POST', '/faults', { fault, count: 1, ...more });
    },
    post: (path, body, identity) =>
      service.call('POST', path, { body, headers: identity ? { 'idempotency-key': identity } : {} }),
    eventsOf: async (id) => {
      const { body } = await service.published('/v1/events?limit=1000');
      return body.events.filter(({ data }: { data: { id: string } }) => data.id === id);
    },
  };
}
