/**
 * `relais`: for services. Parts are also available as `relais/producer` (requests), `relais/events` (events) and,
 * over HTTP, `relais/client`.
 */
export {
  createProducer,
  InvalidRequest,
  OtherDeployment,
  Recovering,
  Unconfirmed,
} from './producer/index.ts';
export type * from './producer/index.ts';
export { onEvent } from './events/library.ts';
export type { CompletionEvent, EventHandler, EventOf, EventType, OnEventOptions } from './events/library.ts';
export { createClient, NoAnswer, NotFromRelais, Refused, verifyWebhook } from './client/library.ts';
export type {
  Api,
  Client,
  ClientOptions,
  Content,
  Followed,
  FollowOptions,
  PerCall,
  Posted,
  ProblemWord,
} from './client/library.ts';
