/**
 * The ways the service may misbehave. Each fault is a sentence someone can say in an incident review, and each is one
 * entry here, one row in docs/sandbox.md and one word of the command line.
 *
 * Where a fault strikes:
 *   listen    the listener itself is closed while the fault stands;
 *   before    the request was read and nothing was done;
 *   work      inside the work of one operation;
 *   after     the work is done and booked, only the answer suffers;
 *   callback  when the service calls back.
 */
import { type CallbackEncoding, callbackEncodings, encodingNames } from './encodings.ts';
import type { FaultRow } from './fault-rows.ts';
import { answerFaults, transportFaults } from './faults-of-transport.ts';
import { callbackFaults, callbackOperations, workFaults } from './faults-of-work.ts';

export type EncodingFault = `calls back as ${CallbackEncoding}`;

export type FaultName =
  | keyof typeof transportFaults
  | keyof typeof answerFaults
  | keyof typeof workFaults
  | keyof typeof callbackFaults
  | EncodingFault;

const encodingRow = (encoding: CallbackEncoding): [EncodingFault, FaultRow] => [
  `calls back as ${encoding}`,
  { stage: 'callback', on: callbackOperations, does: callbackEncodings[encoding].says, encoding },
];

export const faultTable: Readonly<Record<FaultName, FaultRow>> = {
  ...transportFaults,
  ...answerFaults,
  ...workFaults,
  ...callbackFaults,
  ...(Object.fromEntries(encodingNames.map(encodingRow)) as Record<EncodingFault, FaultRow>),
};

export const faultNames = Object.keys(faultTable) as readonly FaultName[];
