/** `relais/producer`: for services that request disbursements, messages and campaigns. */
export { createProducer } from './producer.ts';
export type { Producer, ProducerOptions } from './producer.ts';
export type { DatabaseProducer, DatabaseProducerOptions, Enqueued } from './database-producer.ts';
export type { SqlClient } from '../ledger/enqueue.ts';
export type * from './inputs.ts';
export type { BatchAnswer, RequestAnswer, RequestVerdict } from './errors.ts';
export type { BatchTotals, Finding } from '../kinds/batch.ts';
export { InvalidRequest, OtherDeployment, Recovering, Unconfirmed } from './errors.ts';
export type { ProblemText as Problem } from './problems.ts';
export type { RedisHost, RedisPlace } from './connection.ts';
