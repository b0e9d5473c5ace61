/** The answer to a waiting caller after a refusal or silence of the provider. */
import { failureOf, type NotOk } from '../provider/verdict.ts';
import { TOKEN_COLLISION } from '../processors/intent.ts';
import { ApiProblem, invalid } from './problem.ts';
import { type Message, message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';

/** No complete answer arrived; every other failure is an answer with an error. */
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

/** Detected before the request: nothing was sent, and the request must change. */
const OURS: ReadonlySet<string> = new Set(['live_only', 'softpay_card_off', 'field_missing', 'field_invalid']);

export interface FailureTold {
  readonly id?: string;
  readonly state?: string;
  /** Whether repeating the request may help, and is harmless. */
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

/** From the stored failure, so that a repeated request gets the same answer. */
export function problemOfCode(code: string, more: FailureTold & { readonly message?: string }): ApiProblem {
  const failure = saysOf(code);
  const { message: words } = more;
  return new ApiProblem(
    SILENT.has(code) ? 'upstream-silent' : 'upstream-refused',
    words === undefined ? failure : message('failure_with_words', { failure, words }),
    {
      code,
      message: textOf(failure),
      ...more,
    },
  );
}

function refusedHere(code: string, what: string | undefined): ApiProblem {
  const failure = saysOf(code);
  const said = what ? message('failure_about', { failure, words: what }) : failure;
  const { detail, more } = invalid([{ pointer: '', message: said }]);
  return new ApiProblem('invalid', detail, { ...more, code });
}

function saysOf(code: string): Message {
  if (code === TOKEN_COLLISION) return message('failure_of_token');
  return failureOf(code)?.says ?? message('failure_unheard');
}
