/** What a fault does on the wire, in the place of an honest answer. */
import type { ServerResponse } from 'node:http';
import { type Answer, type Family, refuseIn, serverError } from './answers.ts';
import type { Act } from './fault-rows.ts';
import type { StandingFault } from './faults.ts';
import type { Random } from '../lib/random.ts';
import { isSmsCode, smsRefusal } from './sms-codes.ts';
import type { World } from './world.ts';

/** `honest` is what would have been answered; before the work there is no such thing. */
export interface Scene {
  readonly response: ServerResponse;
  readonly family: Family;
  readonly fault: StandingFault;
  readonly honest: Answer | undefined;
  readonly world: World;
}

const LATE_MS = 5_000;
const PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Oops</h1></body></html>';

export function misbehave(act: Act, scene: Scene): void {
  const { response, family, fault, honest, world } = scene;
  switch (act) {
    case 'hang':
    case 'work late':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'close':
      response.socket?.end();
      return;
    case 'wait':
      if (honest) world.time.afterReal(fault.delayMs ?? LATE_MS, () => reply(response, honest));
      return;
    case 'redirect':
      send(response, 302, '', { location: '/elsewhere' });
      return;
    case 'answer HTML':
      send(response, 200, PAGE, { 'content-type': 'text/html; charset=utf-8' });
      return;
    case 'answer nothing':
      send(response, 200, '');
      return;
    case 'answer 429':
      send(response, 429, '{"message":"Too many requests"}', tooMany(fault.retryAfterSeconds ?? 1));
      return;
    case 'answer 5xx':
      send(response, pickStatus(world.random), 'upstream error', { 'content-type': 'text/plain' });
      return;
    case 'answer 5000':
      reply(response, serverError(family));
      return;
    case 'answer maintenance':
      reply(response, refuseIn(family, '5000', 'Service under maintenance, please retry later', 400));
      return;
    case 'answer a given code':
      reply(response, givenCode(fault.code ?? '', family, world));
      return;
    case 'answer an unknown code':
      reply(response, unknownCode(family));
      return;
    case 'cut the JSON':
    case 'break off':
      cut(act, response, honest);
      return;
  }
}

export const tooMany = (seconds: number): Record<string, string> => ({
  'retry-after': String(seconds),
  'content-type': 'application/json',
});

function cut(act: 'cut the JSON' | 'break off', response: ServerResponse, honest: Answer | undefined): void {
  const text = JSON.stringify(honest?.body ?? {});
  const half = text.slice(0, Math.floor(text.length / 2));
  if (act === 'cut the JSON')
    return send(response, honest?.status ?? 200, half, { 'content-type': 'application/json' });
  response.writeHead(honest?.status ?? 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.write(half, () => response.socket?.destroy());
}

function givenCode(code: string, family: Family, world: World): Answer {
  return family === 'sms' && isSmsCode(code)
    ? smsRefusal(code, world)
    : refuseIn(family, code, `Refused with ${code}`, 200);
}

function unknownCode(family: Family): Answer {
  const text = 'Something we have no page about';
  if (family === 'flag') return { status: 200, body: { message: text } };
  const key = { payment: 'response_code', 'payment-request': 'response-code', sms: 'code' }[family];
  return { status: 200, body: { [key]: '7777', response_text: text, message: text } };
}

function pickStatus(random: Random): number {
  return [500, 502, 503, 504][Math.floor(random.fraction() * 4)] ?? 500;
}

export function reply(response: ServerResponse, { status, body }: Answer): void {
  send(response, status, JSON.stringify(body), { 'content-type': 'application/json' });
}

export function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  // The caller may have given up long ago; an answer to nobody is not an error.
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
