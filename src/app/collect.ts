import type { QueueName } from '../kinds/due-queues.ts';
import type { Answer } from '../producer/acceptance.ts';
import { CollectAcceptance } from '../producer/acceptance-collect.ts';
import type { Container } from './container.ts';

export function collectAcceptanceOf({
  redis,
  random,
  config,
  wake,
  book,
  fence,
  heartbeat,
  fingerprints,
}: Container): CollectAcceptance {
  return new CollectAcceptance({
    redis,
    random,
    wake,
    fence,
    heartbeat,
    fingerprints,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    limits: config,
    directCredit: config.DIRECT_CREDIT === 'on',
  });
}

type Accept = (request: unknown) => Promise<Answer>;

/** For the intake queue, where nobody waits for the answer of upstream: what was accepted is woken. */
export function collectIntake(container: Container): Readonly<Record<string, Accept>> {
  const collect = collectAcceptanceOf(container);
  const woken =
    (queue: QueueName, accept: Accept): Accept =>
    async (request) => {
      const answer = await accept(request);
      if (answer.outcome === 'accepted') container.wake(queue, answer.id, 1);
      return answer;
    };
  return {
    invoice: woken('invoice-confirm', (request) => collect.invoice(request)),
    payment_request: woken('status-poll', (request) => collect.paymentRequest(request)),
    direct_credit: (request) => collect.directCredit(request),
  };
}
