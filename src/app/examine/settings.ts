import { roles } from '../../cli/io.ts';
import { type Config, WrongSettings, describeSettings, loadConfig, missingBesideKeys } from '../../config.ts';
import { type Finding, fault, ok } from './finding.ts';

export interface Settings {
  readonly findings: readonly Finding[];
  /** Absent while a setting, or a file that one names, cannot be read. One that is merely missing stops no other check. */
  readonly config?: Config;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All that would stop a process with every role, at once; the keys of the service are looked at account by account. */
export function examineSettings(env: Environment): Settings {
  const problems: string[] = [];
  const config = tried(env, problems);
  const faults = problems.map((problem) => fault('settings', problem, 'Mend it, and start every process again.'));
  return {
    findings: faults.length > 0 ? faults : [ok('settings', `${countSet(env)} are set, all can be read`)],
    ...(config ? { config } : {}),
  };
}

function tried(env: Environment, problems: string[]): Config | undefined {
  try {
    return loadConfig(env, (given) => {
      problems.push(...missingBesideKeys(given, roles));
      return [];
    });
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

function countSet(env: Environment): number {
  return describeSettings().filter(({ name }) => Boolean(env[name]) || Boolean(env[`${name}_FILE`])).length;
}
