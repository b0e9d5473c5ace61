import type { z } from 'zod';

/** One thing that is wrong with a request: where (JSON pointer into it) and what would be right. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

export function problemsOf(error: z.ZodError): Problem[] {
  return error.issues.flatMap((issue) => {
    const pointer = pointerTo(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ pointer: `${pointer}${pointerTo([key])}`, message: 'is not a field here' }));
    }
    const missing = issue.code === 'invalid_type' && issue.message.includes('received undefined');
    return [{ pointer, message: missing ? 'is required' : issue.message }];
  });
}

export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ pointer, message }) => `${pointer || 'the request'} ${message}`).join('; ');
}
