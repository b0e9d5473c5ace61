/** `relais/producer`: what another service imports to ask for disbursements, messages and campaigns. */
export { createProducer } from './producer.ts';
export type { Producer, ProducerOptions } from './producer.ts';
export type * from './inputs.ts';
export type { BatchAnswer, RequestAnswer, RequestVerdict } from './errors.ts';
export type { BatchTotals, Finding } from '../kinds/batch.ts';
export { InvalidRequest, NotDurableError, OtherDeployment, Unconfirmed } from './errors.ts';
export { Recovering } from '../operations/heartbeat.ts';
export type { Problem } from './problems.ts';
export type { RedisHost, RedisPlace } from './connection.ts';
