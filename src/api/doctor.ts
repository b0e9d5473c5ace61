/** The findings of `relais doctor`, for users with a browser and no shell. */
import { wordsIn } from '../messages/languages.ts';
import { textOf } from '../messages/texts.ts';
import { doctorAnswer } from './openapi/answers-console.ts';
import { languageFor } from './problem.ts';
import { answer, route } from './route.ts';

const examineDeployment = route(
  {
    method: 'get',
    path: '/v1/doctor',
    id: 'examineDeployment',
    tag: 'Operating',
    summary: 'Diagnose the deployment',
    description:
      'The same checks as `relais doctor`, with the settings and roles of the answering process. Each process ' +
      'checks at most twice a minute and returns its last result in between: `at` says when. In the language of ' +
      '`Accept-Language`.',
    role: 'operate',
    orRole: 'admin',
    scope: 'all',
    answers: { 200: answer('What each check found.', doctorAnswer) },
  },
  async ({ context, request }) => {
    const { at, findings } = await context.doctor();
    const language = languageFor(request);
    const { checks } = wordsIn(language).doctor;
    return {
      at: new Date(at).toISOString(),
      faults: findings.filter(({ is }) => is === 'fault').length,
      findings: findings.map(({ check, is, says, fix }) => ({
        check,
        name: checks[check],
        is,
        says: textOf(says, language),
        fix: fix ? textOf(fix, language) : null,
      })),
    };
  },
);

export const doctorRoutes = [examineDeployment];
