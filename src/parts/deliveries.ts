/** Signed deliveries: the desk that registers endpoints, the dispatcher, and the tools of a delivering attempt. */
import type { Part } from '../app.ts';
import { dispatchUntil } from '../events/dispatcher.ts';
import { EndpointDesk } from '../events/endpoint-desk.ts';
import { createPostman } from '../events/outgoing/postman.ts';
import { type Outgoing, openOutgoing } from '../events/outgoing/post.ts';
import { Endpoints } from '../operations/endpoints.ts';
import { type DeliveryTools, deliverEvents } from '../processors/event-delivery.ts';
import type { Processor } from '../processors/index.ts';
import { sealingSecrets } from './bench.ts';
import type { Foundation } from './foundation.ts';

export function endpointsOf({ redis, random }: Foundation): Endpoints {
  return new Endpoints({ redis, random });
}

export function endpointDeskOf(foundation: Foundation, endpoints: Endpoints): EndpointDesk {
  const { config, events, random, wake } = foundation;
  return new EndpointDesk({
    endpoints,
    events,
    random,
    secrets: sealingSecrets(config),
    rules: rulesOf(foundation),
    wake: (endpoint, rev) => wake('event-delivery', endpoint, rev),
  });
}

function rulesOf({ config }: Foundation): { readonly allowLoopback: boolean } {
  return { allowLoopback: config.ALLOW_LOOPBACK_ENDPOINTS === 'on' };
}

export interface Delivery {
  readonly processor: Processor;
  /** Hands out what happened until it is stopped; posts under way are then cut off, and made again later. */
  readonly part: Part;
}

export function deliveryOf(foundation: Foundation): Delivery {
  const { clock } = foundation;
  const outgoing = openOutgoing({ clock, ...rulesOf(foundation) });
  const tools = toolsOf(foundation, outgoing);
  return { processor: (id) => deliverEvents(id, tools), part: dispatcherPart(foundation, outgoing) };
}

function toolsOf(foundation: Foundation, outgoing: Outgoing): DeliveryTools {
  const { clock, random, config, events, metrics } = foundation;
  return {
    endpoints: endpointsOf(foundation),
    clock,
    random,
    letterAt: async (place) => {
      const event = await events.at(place);
      return event && { id: event.id, body: JSON.stringify(event) };
    },
    post: createPostman({ outgoing, clock, secrets: sealingSecrets(config) }),
    onDelivery: (outcome) => metrics.eventDelivered(outcome),
  };
}

function dispatcherPart(foundation: Foundation, outgoing: Outgoing): Part {
  const { events, clock, config, wake, quietly } = foundation;
  return {
    name: 'the dispatcher of events',
    start: async () => {
      const stop = new AbortController();
      const dispatched = dispatchUntil(stop.signal, {
        endpoints: endpointsOf(foundation),
        events,
        clock,
        intervalMs: config.SWEEP_INTERVAL,
        wake: (endpoint, rev) => wake('event-delivery', endpoint, rev),
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
