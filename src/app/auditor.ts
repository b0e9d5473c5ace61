/** Seals what came to the audit, every few seconds, and forgets what is too old. */
import type { Audit, AuditFault, AuditSeals } from '../operations/audit.ts';
import type { Sign } from '../operations/audit-marks.ts';
import { timeOf } from '../redis/clock.ts';
import type { Container } from './container.ts';
import type { Part } from './parts.ts';

const SEAL_EVERY_MS = 5_000;
/** Less than that, so that each process looks at what another sealed a moment before it would have. */
const SEALED_BY_ANOTHER_MS = 4_000;
const FORGET_EVERY_MS = 3_600_000;

export interface Auditing {
  readonly audit: Audit;
  readonly auditSeals: AuditSeals;
  /** Absent: this process has no secret. */
  readonly signAct: Sign | undefined;
}

export function auditorPart(container: Container, { auditSeals, signAct: sign }: Auditing): Part {
  const { clock, config, random, redis, logger, quietly } = container;
  const act = { by: 'settings', person: '', role: '', door: 'settings', act: 'audit.forget', target: '' } as const;
  const tellFault = onceEach((fault) => logger.error(fault, 'a line of the audit does not fit: relais audit verify'));
  const tellKept = onceEach((fault) =>
    logger.error(fault, 'nothing of the audit is forgotten: a line does not fit, see relais audit verify'),
  );
  const seal = async (sealedWithinMs?: number): Promise<void> => {
    const at = await timeOf(redis);
    const fault = await auditSeals.seal(at, sealedWithinMs === undefined ? undefined : at - sealedWithinMs);
    tellFault(fault);
  };
  const forget = async (): Promise<void> => {
    const limits = { beforeAt: (await timeOf(redis)) - config.AUDIT_KEEP, most: config.AUDIT_MOST };
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

/** Once for each: it does not go away by itself. */
function onceEach(tell: (fault: AuditFault) => void): (fault: AuditFault | undefined) => void {
  let told: string | undefined;
  return (fault) => {
    if (fault && told !== fault.id) tell(fault);
    told = fault?.id;
  };
}
