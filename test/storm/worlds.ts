/** What a storm may hold besides weather: each world can be left out, so that a fault can be told from its neighbours. */

export const worlds = {
  tls: 'the service is reached by TLS, and handshakes are slow; whoever is in one is frozen past its lease',
  restores: 'PostgreSQL is stopped, its data replaced by an earlier copy, and started again',
  limits: 'processes are restarted with old limits, and people change them while it runs',
  damage: 'answers that are whole and wrong: no identity, another one, other words, codes that are no success',
  console: 'somebody clicks through the console, follows its stream, and loses the key in the middle of it',
  contradictions: 'a service that contradicts itself: failed and then success, success and then failed',
} as const;

export type WorldName = keyof typeof worlds;

export const worldNames = Object.keys(worlds) as WorldName[];

/** `all`, `none`, or names with commas between. Throws a RangeError that names what there is. */
export function readWorlds(text: string): ReadonlySet<WorldName> {
  if (text === 'all') return new Set(worldNames);
  if (text === 'none') return new Set();
  const names = text.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(worlds, name));
  if (unknown.length === 0) return new Set(names as WorldName[]);
  throw new RangeError(`--worlds must be all, none or some of ${worldNames.join(', ')}; not ${unknown.join(', ')}`);
}
