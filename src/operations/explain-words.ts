/**
 * Every reason in a record, log line or account: its meaning and the next step. The provider's failures describe
 * codes that are missing here.
 */
import type { Language } from '../messages/languages.ts';
import { explainWords, toldIn } from '../messages/told.ts';

export interface WordExplained {
  /** Continues after "Reason: ". */
  readonly why: string;
  /** A sentence. */
  readonly next: string;
}

type Rows = Readonly<Record<string, readonly [why: string, next: string]>>;

const NOTHING = 'There is nothing to do.';
const BY_ITSELF = 'There is nothing to do: relais continues by itself.';
const COMPARE = 'Compare with the dashboard of the provider, then resolve it.';

/** Conditions for which an operation or its account waits. */
const conditions: Rows = {
  funds: [
    'the balance did not suffice',
    'Top up the balance. Disbursements then continue by themselves; for SMS, run relais account release NAME.',
  ],
  budget: [
    'its SMS have used up SMS_BUDGET_DAY or SMS_BUDGET_MONTH',
    'It continues in the next period. To raise the budget, two approvers run: relais limits set SMS_BUDGET_DAY XOF.',
  ],
  callback_unreachable: [
    'the provider could not reach our callback address',
    'Check PUBLIC_URL and the webhooks listener (relais doctor); relais then continues by itself.',
  ],
  funds_or_callback: [
    'the balance did not suffice, or our callback address could not be reached; the provider did not say which',
    'Check the balance and PUBLIC_URL (relais doctor); relais then continues by itself.',
  ],
  not_authorised: [
    'the provider refused our keys for this',
    'Check the keys (relais doctor), and that the option is enabled in the application; relais then continues by itself.',
  ],
  login_contested: [
    'fresh SMS tokens were refused twice within a minute: another system may be using the same login, and each login ends the other one',
    'Use these SMS keys in one deployment only, or ask the provider for others; relais tries again by itself.',
  ],
  maintenance: ['the provider is under maintenance', BY_ITSELF],
  not_understood: [
    'several disbursements in a row were refused with codes that the interface does not list',
    'Check that SERVICE_BASE_URL is the address of the provider (relais doctor), and ask the provider; relais then continues by itself.',
  ],
  provider_unreadable: [
    'the answers of the provider cannot be read',
    'Show the answer to the provider. When its answers are valid again: relais account release NAME.',
  ],
  stopped: ['an operator stopped the account', 'To resume the account: relais account release NAME.'],
  recovering: [
    'PostgreSQL may have lost data, so nothing is sent until an operator decides',
    'Review the pending operations and decide: relais recover.',
  ],
  unwitnessed: [
    'no witness knows this ledger, which may be an old backup, so nothing is sent that could be sent twice',
    'If the ledger is not an old backup, confirm it: relais recover --nothing-was-lost. WITNESS=none needs no witness.',
  ],
  clock_set: ['the clock of PostgreSQL was set, so nothing is sent for a while', BY_ITSELF],
  redis_away: [
    'PostgreSQL or Redis was away during the attempt, and the result of the attempt was written later',
    'There is nothing to do: relais continues by itself.',
  ],
  no_callback_url: [
    'there is no address at which the provider could call us back',
    'Set PUBLIC_URL and CALLBACK_SECRET for every worker; relais then continues by itself.',
  ],
  account_not_configured: [
    'the worker has no keys of this account',
    'Configure the account in every worker (SERVICE_… and SMS_… for main, ACCOUNTS_FILE for others); relais then continues by itself.',
  ],
  other_keys_or_mode: [
    'the operation began with other keys or in another mode than those of this worker',
    'Configure a worker with the keys of its start; relais never finishes an operation with other keys.',
  ],
  accepted_for_other_keys: [
    'it was accepted for other keys than those of this worker, and nothing was sent yet',
    'Were the keys changed in the same application? Configure the fingerprint of the old keys in every worker (SERVICE_KEYS_BEFORE; keysBefore in ACCOUNTS_FILE); relais then continues by itself.',
  ],
  account_stopped: ['an operator stopped the account', 'To resume the account: relais account release NAME.'],
  queue_paused: ['its queue is paused', 'To resume the queue: relais queues resume NAME.'],
  overdue: [
    'it has been due for more than a minute and no worker has taken it',
    'Is a worker running, with this queue? relais run --roles worker',
  ],
  quiet_hours: [
    'the current time is in the quiet hours',
    'There is nothing to do: relais continues by itself. To send now: PATCH /v1/campaigns/{id} {"quietHours": false}.',
  ],
  failures: [
    'too many of the last recipients failed',
    'See the reasons: relais campaign report ID --state failed. Fix the cause, then resume: relais campaign resume ID.',
  ],
  canary_failed: [
    'all recipients of the first part failed, so the rest was not sent',
    'See the reasons: relais campaign report ID --state failed. Fix the cause, then resume: relais campaign resume ID.',
  ],
  rolled_back: [
    'a process remembers records that this PostgreSQL does not have, so data was lost',
    'Run: relais recover',
  ],
  witness: [
    'a witness remembers records that this PostgreSQL does not have, so data was lost',
    'Run: relais recover',
  ],
  copy: [
    'this PostgreSQL was restored from a backup',
    'Run: relais recover. If nothing was lost, two persons run: relais recover --nothing-was-lost.',
  ],
  resubmit: ['a person resolved it as never paid and still wanted', BY_ITSELF],
  restored: [
    'PostgreSQL was restored from a backup, and the current status is not known',
    'It may have been sent, paid or cancelled since: check the dashboard of the provider, then resolve it. For a campaign: relais campaign resume ID. A batch needs another approval.',
  ],
  in_doubt: [
    'too many of the last recipients are in doubt: the answers of the provider were lost or unclear',
    'relais continues by itself if the statistics show that most SMS were sent. If not: relais campaign report ID --state unknown, then relais campaign resume ID.',
  ],
  canary_in_doubt: [
    'it is not known whether the first recipients got the SMS, so the rest was not sent',
    'Ask one of these recipients: relais campaign report ID --state unknown. Then resume: relais campaign resume ID.',
  ],
  canary_sender: [
    'the first recipients got the SMS with another sender ID, so the rest was not sent',
    'Have the sender ID configured on the messaging account, then resume: relais campaign resume ID.',
  ],
  sender_replaced: [
    'an SMS was sent with another sender ID, and the campaign requires its own',
    'Have the sender ID configured on the messaging account, then resume: relais campaign resume ID.',
  ],
  opted_out: ['the recipient opted out of SMS', NOTHING],
  purged: ['the personal data of the recipient was erased before the SMS was sent', NOTHING],
  refused_together: ['a request was refused because of another recipient, and this SMS goes alone', BY_ITSELF],
  pace: ['its campaign has reached its maximum pace', BY_ITSELF],
  rate: ['UPSTREAM_RATE is used up for this second, or the provider asked us to slow down', BY_ITSELF],
};

/** Reasons of finished disbursements and of reviews. */
const ofDisbursements: Rows = {
  not_submitted_in_time: [
    'it could not be submitted within DISBURSEMENT_LIMIT',
    'Send it again under another reference.',
  ],
  cancelled_by_caller: ['the caller cancelled it', NOTHING],
  not_approved: ['a different person rejected it', 'Correct the request and send it again under another reference.'],
  disburse_id_used: [
    'the provider already knew our disburse_id: an earlier attempt, perhaps before a data loss, may have paid',
    'Find the disburse_id in the dashboard of the provider, then resolve it.',
  ],
  never_executed: [
    'the provider reported twice that the payment was never executed, and DISBURSEMENT_RESUBMIT=strict forbids a second attempt',
    'Resolve it with `resubmit` or `cancelled`.',
  ],
  sent_three_times: [
    'it was sent three times and never executed',
    'Find the disburse_id in the dashboard of the provider, then resolve it.',
  ],
  unidentified: [
    'the provider reports a final status without our disburse_id, so it may be about another payment',
    COMPARE,
  ],
  unnamed: ['the provider reports a final status without our disburse_id', BY_ITSELF],
  failed_once: ['the provider reported a failure; relais waits for a second report', BY_ITSELF],
  undone_once: ['the provider reported a return of the money; relais waits for a second report', BY_ITSELF],
  agreed_once: [
    'the status was contradicted, and the provider now confirms it; relais waits for a second report',
    BY_ITSELF,
  ],
  contradicted_once: [
    'the provider reported another status than before; relais waits for a second report',
    BY_ITSELF,
  ],
  contradicted: [
    'the provider no longer confirms the final status and reports no other one',
    'Do not pay it again: compare with the dashboard of the provider, then resolve it.',
  ],
  paid_after_all: ['it was paid after a reported failure; callers got both events', NOTHING],
  token_collision: [
    'the provider returned a token of another operation, so nothing was sent',
    'Report it to the provider, then resolve it as `cancelled` (a payment request as `failed`), and request it again under another reference.',
  ],
  transaction_collision: [
    'the provider returned a transaction of another operation, so one of the two may not have been paid',
    COMPARE,
  ],
  result_not_storable: [
    'the answer of the provider has a value that cannot be stored; the evidence shows the rest',
    COMPARE,
  ],
  token_too_old: ['its token is older than a day', 'Ask the provider about the token, then resolve it.'],
  poll_exhausted: [
    'the provider gave no final status within the time limit',
    'relais keeps asking the provider where possible, and a late final status still counts. Or ask the provider and resolve it.',
  ],
  mismatch_amount: ['the provider reports another amount', COMPARE],
  mismatch_token: ['the provider answered about another token', COMPARE],
  not_named: ['the provider answered without naming the payment', COMPARE],
  mismatch_disburse_id: ['the provider reports another disburse_id', COMPARE],
  unreadable_amount: ['the provider reports an unreadable amount', COMPARE],
  '1001': [
    'the provider does not know the withdraw mode',
    'Send it again with another withdrawMode, under another reference.',
  ],
};

/** Reasons of invoices, payment requests, direct credits, batches and deliveries. */
const ofOthers: Rows = {
  not_created_in_time: [
    'the provider gave no invoice or request for it in time',
    'Request it again under another reference.',
  ],
  not_sent_in_time: ['it could not be sent in time', 'Send it again under another reference.'],
  not_found: ['the provider no longer knows the operation', 'Ask the provider about it, then resolve it.'],
  amount_mismatch: ['the provider reports another amount', COMPARE],
  mismatch_mode: ['the provider answered in another mode, test or live, than that of the request', COMPARE],
  untracked: [
    'the provider gave no reference, so its status cannot be asked',
    'Check the dashboard of the provider.',
  ],
  nothing_new: ['the provider reports the same status as before', NOTHING],
  completed_late: ['it was paid after a final status was reported; callers got both events', NOTHING],
  rows_under_way: ['rows of the batch are in progress', BY_ITSELF],
  lease_over: ['the lease ended, and another worker may have taken it', BY_ITSELF],
  disabled: [
    'the endpoint refused events for too long and was disabled',
    'Fix the endpoint, then register it again.',
  ],
  delivered: ['the endpoint accepted the events', NOTHING],
  put_aside: ['its events are unreadable or no longer stored, and none was sent', NOTHING],
  not_taken: [
    'the endpoint did not accept an event',
    'There is nothing to do: relais sends it again, with growing delays.',
  ],
};

/** Reasons in the log lines of attempts. */
const ofAttempts: Rows = {
  quiet_period: ['the last submit is too recent for the answer `created` to be final', BY_ITSELF],
  created_once: ['the provider reported that the payment was not executed; relais asks a second time', BY_ITSELF],
  submitted: ['the provider accepted the submit; relais now asks for its status', NOTHING],
  pending: ['the provider is working on it', NOTHING],
  succeeded: ['the provider confirmed it', NOTHING],
  failed: ['the provider reported a failure', 'A new payment is a new disbursement with another reference.'],
  not_sent: [
    'PostgreSQL did not answer right before the request, so the request was not sent',
    'There is nothing to do.',
  ],
  intent_lost: [
    'PostgreSQL did not answer right before the request, so the request was not sent',
    'There is nothing to do: relais tries again.',
  ],
  not_before: ['it has a start time that is not reached', 'There is nothing to do: relais continues at that time.'],
  limit: [
    'the statistics of the provider did not arrive within the time limit',
    'Ask the provider which SMS were sent; relais does not send again.',
  ],
  succeeded_late: ['the provider confirmed it after a worker had given up', 'There is nothing to do.'],
  no_token: ['there is no token to ask about', 'See its record: relais disburse show.'],
  interrupted: [
    'a worker died while it was sending, so it may or may not have been sent',
    'relais asks the provider where possible. Otherwise, check the dashboard of the provider, then resolve it.',
  ],
  strange_code: ['the provider answered for a recipient with a code that its interface does not list', BY_ITSELF],
  items_missing: ['the provider answered for fewer recipients than the request had', BY_ITSELF],
  looked: ['the last check of the statistics is done', NOTHING],
  split: ['a part of the request was refused and goes out again in smaller parts', BY_ITSELF],
  sent_again: ['two checks did not find the SMS, and `onUnknown: resend` was requested', BY_ITSELF],
  stopping: ['the process stopped before it could send; another worker sends it', BY_ITSELF],
  account_held: ['its account is held, and the operation waits for the end of the hold', BY_ITSELF],
  same_text_open: ['the same SMS to the same number is being sent or in doubt, and this one waits', BY_ITSELF],
  outdated: ['the payment that it reports has ended otherwise since', NOTHING],
  retried: ['relais sends to the failed recipients again', NOTHING],
  expired: ['its time limit has passed', NOTHING],
  sent: ['the provider answered for every recipient', NOTHING],
  unsent: ['nothing was sent', BY_ITSELF],
  handed_out: ['the next rows of the payment batch were accepted', NOTHING],
  'not yours': ['another attempt or an operator took it over, so this attempt changed nothing', NOTHING],
  nothing_to_look_at: ['relais makes no status checks for this kind', NOTHING],
  leased: ['another attempt is running', NOTHING],
  final: ['it was already finished', NOTHING],
  elsewhere: ['it is now in another queue', NOTHING],
  none: ['there is no such record', 'Check DATABASE_URL, DATABASE_SCHEMA and ENVIRONMENT.'],
  'other version': [
    'its record was written by another version of relais',
    'Let a worker of that version, or a newer one, finish it.',
  ],
};

export const reasonRows: Rows = { ...conditions, ...ofDisbursements, ...ofOthers, ...ofAttempts };

/** Undefined: not one of our reasons. */
export function explainWord(word: string, language: Language = 'en'): WordExplained | undefined {
  const bare = word.replace(/^account_held_/, '');
  const { accountHeld, statusThatEndsNothing } = explainWords(language);
  if (bare.startsWith('status_')) {
    const why = statusThatEndsNothing(bare.slice('status_'.length));
    return { why, next: toldIn(language, BY_ITSELF) };
  }
  if (!Object.hasOwn(reasonRows, bare)) return undefined;
  const [why, next] = (reasonRows[bare] ?? ['', '']).map((sentence) => toldIn(language, sentence)) as [
    string,
    string,
  ];
  return { why: bare === word ? why : accountHeld(why), next };
}
