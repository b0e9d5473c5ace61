/** The setting of approvers: the persons who get an SMS when something awaits approval. */
import { z } from 'zod';
import { PrivateList } from './private-list.ts';
import { commaSeparated, orIssue } from './types.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

const ENTRY = /^([^=,\s](?:[^=,]*[^=,\s])?)\s*=\s*(\+[1-9]\d{7,14})$/;

export interface Approver {
  /** As keys name them. */
  readonly person: string;
  /** E.164. */
  readonly phone: string;
}

/** Throws without a number in the message. */
function readApprovers(text: string): PrivateList<Approver> {
  const entries = commaSeparated(text);
  const approvers = entries.map((entry, at): Approver => {
    const [, person, phone] = ENTRY.exec(entry) ?? [];
    if (person === undefined || phone === undefined) throw new MessageError(message('approver', { number: at + 1 }));
    return { person, phone };
  });
  const twice = approvers.find(({ person }, at) => approvers.findIndex((one) => one.person === person) !== at);
  if (twice !== undefined) throw new MessageError(message('approver_twice', { person: twice.person }));
  return new PrivateList('approvers', approvers);
}

export const approvers = {
  NOTIFY_APPROVERS: [
    z
      .string()
      .optional()
      .transform((text, context) => (text === undefined ? undefined : orIssue(readApprovers)(text, context))),
    'Persons who get an SMS when a payment, batch or campaign of another person awaits approval: fatou=+221771234567,moussa=+221781234567. The names are those of API keys. Unset: no SMS.',
  ],
} as const;
