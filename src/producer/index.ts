/** `relais/producer`: what another service imports to ask for disbursements, messages and campaigns. */
import type { InputOf } from '../kinds/index.ts';

export { createProducer } from './producer.ts';
export type { Identity, Producer, ProducerOptions } from './producer.ts';
export type { RequestAnswer, RequestVerdict } from './errors.ts';
export { InvalidRequest, NotDurableError, OtherDeployment, Unconfirmed } from './errors.ts';
export { Recovering } from '../operations/recovery.ts';
export type { Problem } from './problems.ts';
export type { RedisHost, RedisPlace } from './connection.ts';

export type DisbursementInput = InputOf<'disbursement'>;
export type MessageInput = InputOf<'message'>;
export type CampaignInput = InputOf<'campaign'>;
