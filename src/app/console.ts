/** The parts of this process that the console needs: its files, sessions, the identity provider. */
import { type Violation, consoleFilesIn } from '../api/console-files.ts';
import type { Container } from './container.ts';
import { providerOf } from './oidc.ts';

/** As `npm run build` leaves it, next to the sources and in the package alike. */
export const consoleFilesHere = () => consoleFilesIn(new URL('../../dist/console/', import.meta.url));
const VIOLATIONS_A_MINUTE = 10;

export function consoleOf(container: Container) {
  return {
    console: container.config.CONSOLE === 'on' ? consoleFilesHere() : undefined,
    sessions: container.sessions,
    provider: providerOf(container),
    onViolation: violationTold(container),
  };
}

/** Unauthenticated: all reports are counted, and few are logged. */
function violationTold({ metrics, logger, clock }: Container): (violation: Violation) => void {
  let minute = -1;
  let told = 0;
  return (violation) => {
    metrics.violated(violation.about);
    const now = Math.floor(clock.monotonic() / 60_000);
    told = now === minute ? told + 1 : 1;
    minute = now;
    if (told <= VIOLATIONS_A_MINUTE) logger.warn(violation, 'a browser kept a page of the console from something');
  };
}
