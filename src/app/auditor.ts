/**
 * Seals new lines of the audit every few seconds, counts its lines every half minute, verifies all of them once a day,
 * and forgets old ones.
 */
import type { AuditFault } from '../operations/audit.ts';
import { VERIFY_EVERY_MS } from '../operations/audit-verified.ts';
import type { Sign } from '../operations/audit-marks.ts';
import type { Container } from './container.ts';
import type { Part } from './parts.ts';
import type { Stores } from './stores.ts';

const SEAL_EVERY_MS = 5_000;
/** Less than that, so that each process looks at what another sealed a moment before it would have. */
const SEALED_BY_ANOTHER_MS = 4_000;
const FORGET_EVERY_MS = 3_600_000;
const COUNT_EVERY_MS = 30_000;

export interface Auditing extends Pick<Stores, 'audit' | 'auditSeals'> {
  /** Absent: this process has no secret. */
  readonly signAct: Sign | undefined;
}

export function auditorPart(container: Container, { auditSeals, signAct: sign }: Auditing): Part {
  const { clock, config, random, time, logger, quietly } = container;
  const act = { by: 'settings', person: '', role: '', door: 'settings', act: 'audit.forget', target: '' } as const;
  const tellFault = onceEach((fault) => logger.error(fault, 'a line of the audit does not fit: relais audit verify'));
  const tellKept = onceEach((fault) =>
    logger.error(fault, 'nothing of the audit is forgotten: a line does not fit, see relais audit verify'),
  );
  let sealFault: AuditFault | undefined;
  const seal = async (sealedWithinMs?: number): Promise<void> => {
    const at = await time();
    const fault = await auditSeals.seal(at, sealedWithinMs === undefined ? undefined : at - sealedWithinMs);
    sealFault = fault;
    tellFault(fault);
  };
  const look = verifierOf(container, { auditSeals, tellFault, isSealed: () => sealFault === undefined });
  const forget = async (): Promise<void> => {
    const limits = { beforeAt: (await time()) - config.AUDIT_KEEP, most: config.AUDIT_MOST };
    const done = await auditSeals.forget({ ...limits, act: { ...act, sign, requestId: random.hex(8) } });
    const fault = typeof done === 'number' ? undefined : done;
    tellKept(fault);
  };
  return {
    name: 'the auditor',
    start: async () => {
      let stopped = false;
      const cancels = new Set<() => void>();
      const every = (ms: number, run: () => Promise<void>): void => {
        const cancel = clock.after(ms, () => {
          cancels.delete(cancel);
          run()
            .catch((error: unknown) => quietly('the audit', error))
            .finally(() => stopped || every(ms, run));
        });
        cancels.add(cancel);
      };
      every(SEAL_EVERY_MS, () => seal(SEALED_BY_ANOTHER_MS));
      every(COUNT_EVERY_MS, look);
      every(FORGET_EVERY_MS, forget);
      return async () => {
        stopped = true;
        for (const cancel of cancels) cancel();
        // What was done last is sealed by the process that stops, where it can.
        await seal().catch((error: unknown) => quietly('the audit', error));
      };
    },
  };
}

interface Verifying extends Pick<Auditing, 'auditSeals'> {
  readonly tellFault: (fault: AuditFault | undefined) => void;
  /** Whether what came last could be sealed. */
  readonly isSealed: () => boolean;
}

/** All lines are read once a day, and at once where a cheaper look finds that something is wrong. */
function verifierOf(
  { auditVerification: verification, time }: Pick<Container, 'auditVerification' | 'time'>,
  { auditSeals, tellFault, isSealed }: Verifying,
): () => Promise<void> {
  const verify = async (at: number): Promise<void> => {
    if (!(await verification.begun())) return;
    const { lines, fault } = await auditSeals.verify(at);
    await verification.ended({ at, lines, fault });
    tellFault(fault);
  };
  return async () => {
    const [last, at, isRight] = await Promise.all([verification.last(), time(), auditSeals.isCountRight()]);
    const isDue = last === undefined || at - last.at >= VERIFY_EVERY_MS;
    if (isDue || (!last.fault && (!isRight || !isSealed()))) await verify(at);
  };
}

/** Once for each: it does not go away by itself. */
function onceEach(tell: (fault: AuditFault) => void): (fault: AuditFault | undefined) => void {
  let told: string | undefined;
  return (fault) => {
    if (fault && told !== fault.id) tell(fault);
    told = fault?.id;
  };
}
