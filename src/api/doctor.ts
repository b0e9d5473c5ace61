/** What `relais doctor` finds, for people with a browser and no shell. */
import { doctorWords } from '../messages/doctor.ts';
import { languageAccepted } from '../messages/languages.ts';
import { doctorAnswer } from './openapi/answers-console.ts';
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
    scope: { all: 'it is about the settings and the PostgreSQL of all' },
    answers: { 200: answer('What each check found.', doctorAnswer) },
  },
  async ({ context, request }) => {
    const { at, findings } = await context.doctor();
    const words = doctorWords(languageAccepted(request.get('accept-language')) ?? 'en');
    return {
      at: new Date(at).toISOString(),
      faults: findings.filter(({ is }) => is === 'fault').length,
      findings: findings.map(({ check, is, told: { says, fix } }) => ({
        check,
        name: words.check(check),
        is,
        says: words.say(says),
        fix: fix ? words.say(fix) : null,
      })),
    };
  },
);

export const doctorRoutes = [examineDeployment];
