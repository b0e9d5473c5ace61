/** What is alike and is asked for in the same moment shares one script, and each has an answer of its own. */
export interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** At most so many in one: Redis does nothing else while a script runs. */
const AT_ONCE = 50;

/**
 * Those that one script can answer for, in the order in which they were asked for. `nameOf`: alike are those of one name,
 * and one without a name is alone. `fits`: whether it may share with those.
 */
export function alike<T>(
  together: readonly T[],
  nameOf: (one: T) => string | undefined,
  fits: (share: readonly T[], one: T) => boolean = () => true,
): T[][] {
  const groups: T[][] = [];
  const open = new Map<string, T[]>();
  for (const one of together) {
    const name = nameOf(one);
    const share = name === undefined ? undefined : open.get(name);
    if (share && share.length < AT_ONCE && fits(share, one)) {
      share.push(one);
      continue;
    }
    const begun = [one];
    groups.push(begun);
    if (name !== undefined) open.set(name, begun);
  }
  return groups;
}

/** Gives each its answer, and all of them the error where there is none. Never rejects. */
export async function answerEach<Answer>(
  group: readonly Waiting<Answer>[],
  ask: () => Promise<readonly Answer[]>,
): Promise<void> {
  try {
    const answers = await ask();
    for (const [index, { resolve, reject }] of group.entries()) {
      const answer = answers[index];
      if (answer === undefined) reject(new Error('a script answered for fewer than it was asked for'));
      else resolve(answer);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}
