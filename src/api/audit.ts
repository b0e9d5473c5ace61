/** The acts of users, and whether their lines are unchanged. */
import { z } from 'zod';
import type { AuditLine } from '../ledger/audit.ts';
import { auditPage, auditVerdict } from './openapi/answers-audit.ts';
import { after, answer, limit, route } from './route.ts';

const ofAll = {
  method: 'get',
  tag: 'Operating',
  role: 'operate',
  orRole: 'admin',
  scope: 'all',
} as const;

const listAudit = route(
  {
    ...ofAll,
    path: '/v1/audit',
    id: 'listAudit',
    cli: { name: 'audit list', columns: ['at', 'by', 'person', 'act', 'target', 'before', 'after'] },
    summary: 'List audit log entries',
    description:
      'Newest first. A line is written in one step with the action: refused requests and repeated actions have no ' +
      'line. Lines older than AUDIT_KEEP are deleted.',
    query: { after: after(/^\d{1,15}-\d{1,18}$/), limit: limit(100, 1_000) },
    answers: { 200: answer('A page of them.', auditPage) },
  },
  async ({ context, query: { after: place, limit: most } }) => {
    const lines = await context.audit.page({ before: place, limit: most });
    return { items: lines.map(lineView), next: lines.length === most ? (lines.at(-1)?.id ?? null) : null };
  },
);

const verifyAudit = route(
  {
    ...ofAll,
    path: '/v1/audit/verification',
    id: 'verifyAudit',
    cli: { name: 'audit verify', byHand: true },
    summary: 'Verify the audit log',
    description: 'Checks the MAC of every line and every signed checkpoint. `fault` names the first invalid line.',
    answers: { 200: answer('What was found.', auditVerdict) },
  },
  async ({ context: { auditSeals, clock } }) => {
    const { lines, first, last, sealedTo, fault } = await auditSeals.verify(clock.now());
    return {
      fits: fault === undefined,
      lines,
      first: first ?? null,
      last: last ?? null,
      sealedTo: sealedTo ?? null,
      fault: fault ?? null,
    };
  },
);

function lineView({ id, words }: AuditLine) {
  const { at, by, person, role, source, requestId, act, target, before, after: then, hash } = words;
  return {
    id,
    at: new Date(Number(at)).toISOString(),
    by,
    person: person === '' ? null : person,
    role: role === '' ? null : role,
    source,
    requestId,
    act,
    target: target === '' ? null : target,
    before: factsOf(before),
    after: factsOf(then),
    hash,
  };
}

const facts = z.record(z.string(), z.unknown());

/** A manually changed line must not prevent reading the others. */
function factsOf(text: string): Record<string, unknown> | null {
  if (text === '') return null;
  try {
    return facts.parse(JSON.parse(text));
  } catch {
    return { unreadable: text.slice(0, 200) };
  }
}

export const auditRoutes = [listAudit, verifyAudit];
