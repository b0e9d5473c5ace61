/** Signed deliveries: the registration of endpoints, the dispatcher, and the tools of a delivery attempt. */
import { type OpenSpan, type SpanDraft, traced } from '../lib/traces.ts';
import { WebhookHosts } from '../lib/webhook-hosts.ts';
import type { Part } from './parts.ts';
import { dispatchUntil } from '../ledger/dispatching.ts';
import { EndpointService } from '../events/endpoint-service.ts';
import type { EndpointRules } from '../events/outgoing/endpoint.ts';
import { letterIn } from '../events/outgoing/letter.ts';
import { createWebhookSender } from '../events/outgoing/webhook-sender.ts';
import { type Outgoing, openOutgoing } from '../events/outgoing/post.ts';
import { type DeliveryTools, deliverEvents } from '../processors/delivery/event-delivery.ts';
import type { AttemptResult } from '../processors/context.ts';
import { sealingSecrets } from './secrets.ts';
import type { Container } from './container.ts';

export function endpointServiceOf(container: Container, outgoing: Outgoing): EndpointService {
  const { config, clock, endpoints, events, random, wake } = container;
  return new EndpointService({
    endpoints,
    events,
    random,
    secrets: sealingSecrets(config),
    rules: rulesOf(container),
    wake: () => wake('event-delivery'),
    post: createWebhookSender({ outgoing, clock, secrets: sealingSecrets(config) }),
    clock,
  });
}

/** For requests that are sent at once, without a worker. */
export function outgoingOf(container: Container): Outgoing {
  return openOutgoing({ clock: container.clock, ...rulesOf(container) });
}

function rulesOf({ config }: Container): EndpointRules {
  return {
    allowLoopback: config.ALLOW_LOOPBACK_ENDPOINTS === 'on',
    hosts: new WebhookHosts(config.WEBHOOK_HOSTS),
  };
}

export interface Delivery {
  readonly deliver: (endpoint: string) => Promise<AttemptResult>;
  /** Dispatches events until it is stopped; running deliveries are then aborted, and repeated later. */
  readonly part: Part;
}

export function deliveryOf(container: Container): Delivery {
  const outgoing = outgoingOf(container);
  const tools = toolsOf(container, outgoing);
  return { deliver: (id) => deliverEvents(id, tools), part: dispatcherPart(container, outgoing) };
}

function toolsOf(container: Container, outgoing: Outgoing): DeliveryTools {
  const { clock, random, config, endpoints, events, metrics, traces } = container;
  const send = createWebhookSender({ outgoing, clock, secrets: sealingSecrets(config) });
  return {
    endpoints,
    clock,
    random,
    letterAt: (place) => letterIn(events, place),
    post: (endpoint, letter, tries) =>
      traced(
        traces,
        () => postOf(endpoint.url, letter, tries),
        async (span) => {
          const posted = await send(endpoint, { ...letter, traceparent: span && traces?.traceparent() });
          if (span) tellPosted(span, posted);
          return posted;
        },
      ),
    onDelivery: (outcome) => metrics.eventDelivered(outcome),
  };
}

/** Only the host of the address: the rest is often a secret of the caller. */
function postOf(
  url: string,
  { id, trace }: { readonly id: string; readonly trace?: string | undefined },
  tries: number,
): SpanDraft {
  const { hostname, port, protocol } = URL.canParse(url) ? new URL(url) : NO_ADDRESS;
  return {
    name: 'POST event',
    kind: 'client',
    mark: trace,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': tries === 0 ? undefined : tries,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'relais.id': id,
    },
  };
}

const NO_ADDRESS = { hostname: '', port: '', protocol: '' };

function tellPosted(span: OpenSpan, { taken, answer }: { readonly taken: boolean; readonly answer: string }): void {
  const [, status] = /^http_(\d{3})$/.exec(answer) ?? [];
  span.says({ 'http.response.status_code': status === undefined ? undefined : Number(status) });
  if (!taken) span.failed(status ?? answer);
}

function dispatcherPart(container: Container, outgoing: Outgoing): Part {
  const { endpoints, clock, config, wake, quietly } = container;
  return {
    name: 'the dispatcher of events',
    start: async () => {
      const stop = new AbortController();
      const dispatched = dispatchUntil(stop.signal, {
        endpoints,
        clock,
        intervalMs: config.SWEEP_INTERVAL,
        wake: () => wake('event-delivery'),
        onError: (error) => quietly('dispatching events', error),
      });
      return async () => {
        stop.abort();
        await dispatched;
        await outgoing.close();
      };
    },
  };
}
