/** `relais/client`: for services that share no Redis with relais. Needs no other package. */
export { createClient } from './client.ts';
export type { Client, ClientOptions } from './client.ts';
export type { Followed, FollowOptions } from './follow.ts';
export { NoAnswer, Refused } from './refusal.ts';
export type { ProblemWord } from './refusal.ts';
export type { Content, PerCall } from './types.ts';
export { NotFromRelais, verifyWebhook } from './webhook.ts';
export type { Posted } from './webhook.ts';
/** All requests and answers, by the names of openapi.json. */
export type * as Api from './generated/api.ts';
