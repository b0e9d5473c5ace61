/** The scenarios of a storm besides its faults. Each can be left out, to measure its effect. */

export const scenarios = {
  restores: 'PostgreSQL is stopped, its data replaced by an earlier copy, and started again',
  limits: 'processes restart with old limits, and operators change them at run time',
  damage: 'the provider answers without an identity, with another one, or with unknown codes',
  contradictions: 'the provider contradicts itself: failed and then success, success and then failed',
} as const;

export type Scenario = keyof typeof scenarios;

export const scenarioNames = Object.keys(scenarios) as Scenario[];

/** `all`, `none`, or comma-separated names. Throws a RangeError that lists the names. */
export function readScenarios(text: string): ReadonlySet<Scenario> {
  if (text === 'all') return new Set(scenarioNames);
  if (text === 'none') return new Set();
  const names = text.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(scenarios, name));
  if (unknown.length === 0) return new Set(names as Scenario[]);
  const known = scenarioNames.join(', ');
  throw new RangeError(`--scenarios must be all, none or some of ${known}; not ${unknown.join(', ')}`);
}
