/** What a waiting caller is told when upstream said no, or nothing. */
import { failures, type NotOk } from '../provider/verdict.ts';
import { TOKEN_COLLISION } from '../processors/intent.ts';
import { ApiProblem, invalid } from './problem.ts';
import { message } from '../messages/message.ts';

/** No whole answer came, whatever was sent; every other failure is an answer that is no good. */
const SILENT: ReadonlySet<string> = new Set([
  'unreachable',
  'send_deadline',
  'clocks_disagree',
  'given_up',
  'closing',
  'no_answer',
  'cut',
  'interrupted',
  'not_created_in_time',
]);

/** Seen by us before asking: nothing was sent, and it is the request that has to change. */
const OURS: ReadonlySet<string> = new Set(['live_only', 'softpay_card_off', 'field_missing', 'field_invalid']);

export interface FailureTold {
  readonly id?: string;
  readonly state?: string;
  /** Whether sending the same again may help, and cannot harm. */
  readonly retryable: boolean;
}

export function upstreamProblem(failure: NotOk, told: FailureTold): ApiProblem {
  const { code, exchange } = failure;
  const { upstreamCode, message: said } = exchange;
  if (OURS.has(code)) return refusedHere(code, said);
  return problemOfCode(code, {
    ...told,
    ...(upstreamCode ? { upstreamCode } : {}),
    ...(said ? { message: said } : {}),
  });
}

/** What we call so, and the service does not. */
const OWN: Readonly<Record<string, string>> = {
  [TOKEN_COLLISION]: 'The service answered with what it had given another operation; a person has to look.',
};
const NOT_HEARD_OF = 'The service was not heard of again.';

/** From what the record kept of it, so that a repeated request gets the same answer. */
export function problemOfCode(code: string, more: FailureTold & { readonly message?: string }): ApiProblem {
  const sentence = isListed(code) ? failures[code].sentence : (OWN[code] ?? NOT_HEARD_OF);
  const said = more.message === undefined ? '' : ` It says: ${more.message}`;
  return new ApiProblem(
    SILENT.has(code) ? 'upstream-silent' : 'upstream-refused',
    message('other', { text: `${sentence}${said}` }),
    {
      code,
      message: sentence,
      ...more,
    },
  );
}

function refusedHere(code: string, what: string | undefined): ApiProblem {
  const sentence = isListed(code) ? failures[code].sentence : code;
  const text = what ? `${sentence} ${what}` : sentence;
  const { detail, more } = invalid([{ pointer: '', message: message('other', { text }) }]);
  return new ApiProblem('invalid', detail, { ...more, code });
}

function isListed(code: string): code is keyof typeof failures {
  return Object.hasOwn(failures, code);
}
