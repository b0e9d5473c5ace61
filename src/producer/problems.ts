import type { z } from 'zod';
import { maskPhone } from '../lib/mask.ts';
import { compileTemplate, UnusableTemplate } from '../lib/template.ts';

/** One thing that is wrong with a request: where (JSON pointer into it) and what would be right. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

export function problemsOf(error: z.ZodError): Problem[] {
  return error.issues.flatMap((issue) => {
    const pointer = pointerTo(issue.path);
    if (issue.code === 'unrecognized_keys') {
      // A body whose fields are named after people is not repeated to whoever reads refusals and logs.
      const names = issue.keys.map(maskPhone);
      return names.map((name) => ({ pointer: `${pointer}${pointerTo([name])}`, message: 'is not a field here' }));
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

export function templateProblems(text: string): Problem[] {
  try {
    compileTemplate(text);
    return [];
  } catch (error) {
    if (!(error instanceof UnusableTemplate)) throw error;
    return [{ pointer: '/text', message: error.message }];
  }
}
