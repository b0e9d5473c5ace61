/** Content that browsers blocked on a console page: counted, and logged without the content of the page. */
import { z } from 'zod';
import { REPORTS, type Violation } from './console-files.ts';
import { readJsonBody } from './json-body.ts';
import { route } from './route.ts';

/** Trusted types concern script content. */
const MATTERS: readonly (readonly [RegExp, Violation['about']])[] = [
  [/^(?:script-src|trusted-types|require-trusted-types-for)/, 'script'],
  [/^style-src/, 'style'],
  [/^connect-src/, 'connect'],
  [/^frame-/, 'frame'],
];

const MOST = '16kb';
/** Maximum per body. */
const AT_ONCE = 20;

const word = z.string().max(2_000).optional().catch(undefined);
/** The formats of `report-uri` and of the Reporting API. */
const reported = z.object({
  'effective-directive': word,
  'violated-directive': word,
  'blocked-uri': word,
  'document-uri': word,
  effectiveDirective: word,
  blockedURL: word,
  documentURL: word,
});
const legacy = z.object({ 'csp-report': reported }).transform((one) => [one['csp-report']]);
const modern = z
  .array(z.object({ type: z.string(), body: z.unknown() }))
  .transform((all) =>
    all.filter(({ type }) => type === 'csp-violation').map(({ body }) => reported.safeParse(body).data),
  );
const body = z.union([legacy, modern]);

const reportViolation = route(
  {
    method: 'post',
    path: REPORTS,
    id: 'reportViolation',
    tag: 'Console',
    summary: 'Report a resource that a browser blocked',
    description: 'Browsers send this report when the content security policy blocks a resource of a console page.',
    scope: 'none',
    body: {
      schema: z.looseObject({}).meta({ id: 'ViolationReport', example: { 'csp-report': {} } }),
      files: {
        'application/csp-report': {
          says: 'One of them.',
          example: '{"csp-report":{"effective-directive":"script-src-elem","blocked-uri":"inline"}}',
        },
        'application/reports+json': { says: 'Several (Reporting API).', example: '[]' },
      },
      limit: MOST,
    },
    answers: { 204: { says: 'It is counted.' } },
  },
  async ({ context, body: json, request, response }) => {
    const given = json ?? (await readJsonBody(request, response, { limit: MOST }));
    const violations = (body.safeParse(given).data ?? []).slice(0, AT_ONCE);
    for (const one of violations) if (one) context.onViolation(violationOf(one));
    return undefined;
  },
);

function violationOf(one: z.output<typeof reported>): Violation {
  const told = one['effective-directive'] ?? one['violated-directive'] ?? one.effectiveDirective ?? '';
  const [directive = ''] = /^[a-z-]{1,40}/.exec(told) ?? [];
  return {
    about: MATTERS.find(([form]) => form.test(directive))?.[1] ?? 'other',
    directive,
    blocked: originOrWord(one['blocked-uri'] ?? one.blockedURL ?? ''),
    page: pathOf(one['document-uri'] ?? one.documentURL ?? ''),
  };
}

function originOrWord(text: string): string {
  if (/^[a-z-]{1,40}$/.test(text)) return text;
  if (!URL.canParse(text)) return '';
  const { protocol, origin } = new URL(text);
  return origin === 'null' ? protocol : origin.slice(0, 200);
}

/** Only our own path segments: others may be personal data. */
function pathOf(text: string): string {
  if (!URL.canParse(text)) return '';
  const [, page = ''] = /^(\/console(?:\/[a-z-]{1,40})?)/.exec(new URL(text).pathname) ?? [];
  return page;
}

export const reportRoutesOfConsole = [reportViolation];
