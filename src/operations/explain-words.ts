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

const NOTHING = 'Nothing is to be done.';
const BY_ITSELF = 'Nothing is to be done: it goes on by itself.';
const COMPARE = 'Compare with the dashboard of the provider, then resolve it.';

/** Conditions for which an operation or its account waits. */
const conditions: Rows = {
  funds: [
    'the balance did not suffice',
    'Top up the balance. Disbursements go on by themselves; texts go on after relais account release NAME.',
  ],
  budget: [
    'its texts have cost as much as SMS_BUDGET_DAY or SMS_BUDGET_MONTH lets them',
    'It goes on in the next period; or have two people with the role approve raise it: relais limits set SMS_BUDGET_DAY XOF.',
  ],
  callback_unreachable: [
    'the service could not reach our callback address',
    'Check PUBLIC_URL and the webhooks listener (relais doctor); it goes on by itself.',
  ],
  funds_or_callback: [
    'the balance did not suffice, or our callback address could not be reached; the service did not say which',
    'Check the balance and PUBLIC_URL (relais doctor); it goes on by itself.',
  ],
  not_authorised: [
    'the service refused our keys for this',
    'Check the keys (relais doctor), and that the option is enabled in the application; it goes on by itself.',
  ],
  login_contested: [
    'fresh SMS tokens were refused twice within a minute: another system may be using the same login, and each login ends the other one',
    'Let one deployment alone use these SMS keys, or ask the service for others; it is tried again by itself.',
  ],
  maintenance: ['the service is under maintenance', BY_ITSELF],
  not_understood: [
    'several disbursements in a row were refused in words that the interface does not have',
    'See whether SERVICE_BASE_URL leads to the service (relais doctor), and ask the service; it goes on by itself.',
  ],
  provider_unreadable: [
    'the answers of the provider cannot be read',
    'Show the provider the answer that came. When it answers well again: relais account release NAME.',
  ],
  stopped: ['a person has stopped the account', 'Release it when it may go on: relais account release NAME.'],
  recovering: [
    'PostgreSQL may have lost data, so nothing is sent until a person decides',
    'See what is open, and decide: relais recover.',
  ],
  unwitnessed: [
    'no witness knows this ledger, which may be an earlier copy, so nothing is sent that could be sent twice',
    'If it is no earlier copy, confirm it: relais recover --nothing-was-lost. WITNESS=none asks for no witness.',
  ],
  clock_set: ['the clock of PostgreSQL was set, so nothing is sent for a while', BY_ITSELF],
  redis_away: [
    'PostgreSQL or Redis was away during the attempt, and the result of the attempt was written later',
    'Nothing is to be done: it goes on by itself.',
  ],
  no_callback_url: [
    'there is no address at which the service could call us back',
    'Set PUBLIC_URL and CALLBACK_SECRET for every worker; it goes on by itself.',
  ],
  account_not_configured: [
    'the process that looked has no keys of this account',
    'Give every worker the account (SERVICE_… and SMS_… for main, ACCOUNTS_FILE for others); it goes on by itself.',
  ],
  other_keys_or_mode: [
    'it was begun with other keys, or in another mode, than the process that looked has',
    'Give a worker the keys it was begun with; an operation is never ended with another set.',
  ],
  accepted_for_other_keys: [
    'it was accepted for other keys than the process that looked has, and nothing was sent yet',
    'Were the keys changed in the same application? Give every worker the fingerprint of the old ones (SERVICE_KEYS_BEFORE; keysBefore in ACCOUNTS_FILE): it then goes on by itself.',
  ],
  account_stopped: ['a person has stopped the account', 'Release it when it may go on: relais account release NAME.'],
  queue_paused: ['its queue is paused', 'Resume it when it may go on: relais queues resume NAME.'],
  overdue: [
    'it has been due for more than a minute and no worker has taken it',
    'Is a worker running, with this queue? relais run --roles worker',
  ],
  quiet_hours: [
    'it is a time at which it was asked to send nothing',
    'Nothing is to be done: it goes on by itself. To send all the same: PATCH /v1/campaigns/{id} {"quietHours": false}.',
  ],
  failures: [
    'too many of the last recipients failed',
    'See why: relais campaign report ID --state failed. Mend it, then go on: relais campaign resume ID.',
  ],
  canary_failed: [
    'all of the recipients that went first have failed, so the rest was not sent',
    'See why: relais campaign report ID --state failed. Mend it, then go on: relais campaign resume ID.',
  ],
  rolled_back: ['a process remembers what this PostgreSQL does not know, so data was lost', 'See relais recover.'],
  witness: ['a witness remembers what this PostgreSQL does not know, so data was lost', 'See relais recover.'],
  copy: [
    'this PostgreSQL is a copy of an earlier one',
    'See relais recover. If nothing was lost: relais recover --nothing-was-lost, by two persons.',
  ],
  resubmit: ['a person who knows that it was never paid has let it go on', BY_ITSELF],
  restored: [
    'PostgreSQL was restored to an earlier point and does not know what became of it since',
    'It may have been sent, paid or called off since: look in the dashboard of the service, then resolve it. A campaign goes on with relais campaign resume ID, a batch when it is approved once more.',
  ],
  in_doubt: [
    'too many of the last recipients are in doubt: the answers of the service got lost, or were unclear',
    'It goes on by itself if the statistics show that most were sent to. Else see who: relais campaign report ID --state unknown; then go on: relais campaign resume ID.',
  ],
  canary_in_doubt: [
    'nobody can say whether the recipients that went first got it, so the rest was not sent',
    'Ask one of them: relais campaign report ID --state unknown. Then go on: relais campaign resume ID.',
  ],
  canary_sender: [
    'the recipients that went first got their text under another sender than was asked, so the rest was not sent',
    'Have the sender configured on the messaging account, then go on: relais campaign resume ID.',
  ],
  sender_replaced: [
    'a text went out under another sender than was asked, and the campaign insists on its own',
    'Have the sender configured on the messaging account, then go on: relais campaign resume ID.',
  ],
  opted_out: ['the person does not want to be texted', NOTHING],
  purged: ['the personal data of the recipient was erased before the SMS was sent', NOTHING],
  refused_together: ['a request was refused because of another recipient, and this SMS goes alone', BY_ITSELF],
  pace: ['its campaign sends no faster than it was asked to', BY_ITSELF],
  rate: ['UPSTREAM_RATE is used up for this second, or the service asked us to slow down', BY_ITSELF],
};

/** Reasons of finished disbursements and of reviews. */
const ofDisbursements: Rows = {
  not_submitted_in_time: [
    'it could not be submitted within DISBURSEMENT_LIMIT',
    'Send it again under another reference.',
  ],
  cancelled_by_caller: ['the caller cancelled it', NOTHING],
  not_approved: [
    'a different person refused to approve it',
    'Correct the request and send it again under another reference.',
  ],
  disburse_id_used: [
    'the service knew our disburse_id already: an earlier send, perhaps one that was lost with data, may have paid',
    'Look for the disburse_id in the dashboard of the service, then resolve it.',
  ],
  never_executed: [
    'the service says twice that the payment was never executed, and DISBURSEMENT_RESUBMIT=strict forbids a second send',
    'Resolve it with `resubmit` or `cancelled`.',
  ],
  sent_three_times: [
    'it was sent three times and never executed',
    'Look for the disburse_id in the dashboard of the service, then resolve it.',
  ],
  unidentified: [
    'the service says that it has ended, but does not name our disburse_id, so its word may be about another payment',
    COMPARE,
  ],
  unnamed: ['the service says that it has ended, but does not name our disburse_id', BY_ITSELF],
  failed_once: ['the service says that it failed, which counts when it is said twice', BY_ITSELF],
  undone_once: ['the service says that the money came back, which counts when it is said twice', BY_ITSELF],
  agreed_once: [
    'something spoke against what was told, and the service says that again, which counts when it is said twice',
    BY_ITSELF,
  ],
  contradicted_once: ['the service says otherwise than was told, which counts when it is said twice', BY_ITSELF],
  contradicted: [
    'the service no longer stands by how it ended, and has no other last word that counts',
    'Do not pay it again: compare with the dashboard of the service, then resolve it.',
  ],
  paid_after_all: ['it was paid, although it had been told to have failed; that was told too', NOTHING],
  token_collision: [
    'the service gave it a token that another operation was given before, so nothing was sent',
    'Tell the service, then resolve it as `cancelled` (a payment request as `failed`), and ask again under another reference.',
  ],
  transaction_collision: [
    'the service names a transaction that another operation was told before, so one of the two may not have been paid',
    COMPARE,
  ],
  result_not_storable: [
    'the answer of the service has a value that cannot be stored; the evidence shows the rest',
    COMPARE,
  ],
  token_too_old: ['its token is older than a day', 'Ask the provider about the token, then resolve it.'],
  poll_exhausted: [
    'the service has not settled it within its limit of time',
    'It is still looked at where the service can be asked, and a late word settles it; or ask the service and resolve it.',
  ],
  mismatch_amount: ['the service names another amount than was asked for', COMPARE],
  mismatch_token: ['the service answered about another token', COMPARE],
  not_named: ['the service answered without naming the payment', COMPARE],
  mismatch_disburse_id: ['the service names another disburse_id', COMPARE],
  unreadable_amount: ['the service names an amount that cannot be read', COMPARE],
  '1001': [
    'the service does not know the withdraw mode',
    'Send it again with another withdrawMode, under another reference.',
  ],
};

/** Reasons of invoices, payment requests, direct credits, batches and deliveries. */
const ofOthers: Rows = {
  not_created_in_time: [
    'the service gave no invoice or request for it in time',
    'Ask for it again under another reference.',
  ],
  not_sent_in_time: ['it could not be sent in time', 'Send it again under another reference.'],
  not_found: ['the service does not know it any more', 'Ask the provider about it, then resolve it.'],
  amount_mismatch: ['the service names another amount than was asked for', COMPARE],
  mismatch_mode: ['the service answered in another mode, test or live, than it was made in', COMPARE],
  untracked: [
    'the service gave no reference to ask about, so nobody can follow it',
    'Watch for it in the dashboard.',
  ],
  nothing_new: ['the service says what is known already', NOTHING],
  completed_late: ['it was paid after its end had been told, and that was told too', NOTHING],
  succeeded_late: ['it was credited, although it had been given up: the answer came late', NOTHING],
  rows_under_way: ['rows of the batch are under way', BY_ITSELF],
  lease_over: ['it took so long that another worker may be at it', BY_ITSELF],
  disabled: [
    'the endpoint has refused events for so long that no more are sent there',
    'Mend it, then register it again.',
  ],
  delivered: ['the endpoint took the events', NOTHING],
  put_aside: ['its events could not be read or are no longer kept, and none was sent', NOTHING],
  not_taken: ['the endpoint did not take an event', 'Nothing is to be done: it is sent again, later each time.'],
};

/** Reasons in the log lines of attempts. */
const ofAttempts: Rows = {
  quiet_period: ['the last submit is so fresh that `created` is no answer about it yet', BY_ITSELF],
  created_once: [
    'the service said once that the payment was not executed; it is asked again before it is believed',
    BY_ITSELF,
  ],
  submitted: ['the service took the submit; its status is asked from now on', NOTHING],
  pending: ['the service is working on it', NOTHING],
  succeeded: ['the service confirmed it', NOTHING],
  failed: ['the service said that it failed', 'A new payment is a new disbursement with another reference.'],
  not_sent: [
    'PostgreSQL did not answer right before the request, so the request was not sent',
    'Nothing is to be done.',
  ],
  intent_lost: [
    'PostgreSQL did not answer right before the request, so the request was not sent',
    'Nothing is to be done: it is tried again.',
  ],
  not_before: [
    'it was asked not to be paid before a certain time',
    'Nothing is to be done: it goes on by itself then.',
  ],
  limit: [
    'the statistics of the service could not be had within the time limit',
    'Ask the service who was texted; relais does not send again.',
  ],
  succeeded_late: ['the service confirmed it after a worker had given it up', 'Nothing is to be done.'],
  no_token: ['there is no token to ask about', 'See its record: relais disburse show.'],
  interrupted: [
    'a worker died while it was sending, so it may or may not have been sent',
    'The service is asked where it can be. Where it cannot, look in the dashboard of the service, then resolve it.',
  ],
  strange_code: ['the service answered about a recipient with a code that its interface does not have', BY_ITSELF],
  items_missing: ['the service answered about fewer recipients than it was sent', BY_ITSELF],
  looked: ['the last look at the statistics was made', NOTHING],
  split: ['a part of the request was refused and goes out again in smaller parts', BY_ITSELF],
  sent_again: ['two looks did not find them, and `onUnknown: resend` was asked for', BY_ITSELF],
  stopping: ['its process was about to stop before its turn to send came; another one sends it', BY_ITSELF],
  account_held: ['something has come up that holds its account, and is waited for', BY_ITSELF],
  same_text_open: ['the same text to the same number is on its way or in doubt, and is waited for', BY_ITSELF],
  outdated: ['the payment that it reports has ended otherwise since', NOTHING],
  retried: ['those who failed go out again', NOTHING],
  expired: ['its time was over', NOTHING],
  sent: ['the service answered for every recipient', NOTHING],
  unsent: ['provably nothing was sent', BY_ITSELF],
  handed_out: ['the next rows of the payment batch were accepted', NOTHING],
  'not yours': ['another attempt or a person has taken it over, so this one changed nothing', NOTHING],
  nothing_to_look_at: ['an operation of this kind is never looked at here', NOTHING],
  leased: ['another attempt is at it', NOTHING],
  final: ['it was over already', NOTHING],
  elsewhere: ['another queue has it now', NOTHING],
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
