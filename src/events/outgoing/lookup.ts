/**
 * The second half of the wall. A name that was public when its endpoint was registered may point inside by now, or on
 * every second answer; so the addresses are judged at the moment of connecting, and the socket goes to those very ones.
 */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './addresses.ts';
import { isLoopbackHost } from './endpoint.ts';

export const NOT_PUBLIC = 'ENOTPUBLIC';

type Answer = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Asks for every address of a name. The system's resolver, unless a test stands in for it. */
export type ResolveAll = (name: string, options: LookupOptions, answer: Answer) => void;

export interface LookupRules {
  readonly allowLoopback: boolean;
  readonly resolveAll?: ResolveAll;
}

/** A `lookup` for sockets that answers only when every address of the name, of both families, may be posted to. */
export function guardedLookup({ allowLoopback, resolveAll = systemResolveAll }: LookupRules): LookupFunction {
  return (name, options, callback) => {
    // Both families are asked for, whichever the socket wants: one inside address among them gives the name away.
    resolveAll(name, { all: true, family: 0 }, (error, addresses) => {
      const problem = error ?? problemOf(name, addresses, allowLoopback);
      if (problem) callback(problem, '', 0);
      else answer(options, addresses, callback);
    });
  };
}

function problemOf(name: string, addresses: readonly LookupAddress[], allowLoopback: boolean): Error | undefined {
  const mayBeLoopback = allowLoopback && isLoopbackHost(name);
  const allowed = ({ address }: LookupAddress): boolean =>
    isPublicAddress(address) || (mayBeLoopback && isLoopbackAddress(address));
  if (addresses.length > 0 && addresses.every(allowed)) return undefined;
  // The address is not told: to an outsider it would be a map of the inside.
  return Object.assign(new Error('the name does not stand for public addresses only'), { code: NOT_PUBLIC });
}

function answer(
  { all, family }: LookupOptions,
  addresses: readonly LookupAddress[],
  callback: Parameters<LookupFunction>[2],
): void {
  const wanted = addresses.filter(
    (one) => family === undefined || family === 0 || familyNumber(family) === one.family,
  );
  const [first] = wanted;
  if (first === undefined) {
    callback(Object.assign(new Error('the name has no address of this family'), { code: 'ENOTFOUND' }), '', 0);
  } else if (all) callback(null, [...wanted]);
  else callback(null, first.address, first.family);
}

function familyNumber(family: number | 'IPv4' | 'IPv6'): number {
  if (typeof family === 'number') return family;
  return family === 'IPv4' ? 4 : 6;
}

function systemResolveAll(name: string, options: LookupOptions, answerWith: Answer): void {
  systemLookup(name, { ...options, all: true }, (error, addresses) => answerWith(error, addresses ?? []));
}
