/** `relais`: what another service imports. Asking is also to be had as `relais/producer`, hearing as `relais/events`. */
export {
  createProducer,
  InvalidRequest,
  NotDurableError,
  OtherDeployment,
  Recovering,
  Unconfirmed,
} from './producer/index.ts';
export type * from './producer/index.ts';
export { onEvent } from './events/library.ts';
export type { CompletionEvent, EventHandler, EventOf, EventType, OnEventOptions } from './events/library.ts';
