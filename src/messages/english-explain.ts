/** Common parts of explanations, in addition to the sentences declared with states, reasons and failures. */
import type { Whole } from './said.ts';

export const englishExplain = {
  reference: (name: string) => `, reference ${name}`,
  kinds: {
    disbursement: (what: string, mode: string, reference: string) =>
      `Disbursement of ${what} by ${mode}${reference}.`,
    message: (to: string, reference: string) => `Text to ${to}${reference}.`,
    campaign: (name: string, recipients: string, reference: string) =>
      `Campaign “${name}” to ${recipients}${reference}.`,
  },
  others: {
    batch: (reference: string) => `Batch${reference}.`,
    invoice: (reference: string) => `Invoice${reference}.`,
    payment_request: (reference: string) => `Payment request${reference}.`,
    direct_credit: (reference: string) => `Direct credit${reference}.`,
  },
  batch: {
    whole: (count: string, many: number, xof: string, file: string) =>
      `Batch${file === '' ? '' : ` ${file}`} of ${count} ${many === 1 ? 'payment' : 'payments'}, ${xof}.`,
    outcome: (what: string, xof: string) => `${what}: ${xof}.`,
    decide: 'Decide the uncertain payments: relais review list.',
    seeUnpaid: (id: string) => `See the unpaid rows: relais disburse batch-rows ${id} --outcome notPaid.`,
    payAgain: (id: string) => `To pay them again, with a new approval: relais disburse batch-retry ${id}`,
  },
  reason: (why: string) => `Reason: ${why}.`,
  reviewed: (why: string) => `It needed review before: ${why}.`,
  cannotGoOn: (why: string) => `It cannot go on now: ${why}.`,
  lastAnswer: (why: string) => `The last answer: ${why}.`,
  settledBy: (state: string) => `A person settled it as ${state}.`,
  named: (what: string) => `When it was asked, the service named: ${what}.`,
  posted: 'What it posted to us may read otherwise: only what it says when it is asked counts.',
  late: 'This came late: another word was told before.',
  approvedBy: (by: string) => `Approved by ${by}.`,
  rejectedBy: (by: string, note: string) => `Rejected by ${by}: “${note}”.`,
  decidedBy: (by: string, note: string) => `Decided by ${by}: “${note}”.`,
  askThem: 'Ask the person whether it came. To send it all the same, send it again under another reference.',
  people: (count: string, many: number) => `${count} ${many === 1 ? 'recipient' : 'recipients'}`,
  rows: (counts: string) => `Rows: ${counts}.`,
  accountHeld: (why: string) => `the account is held: ${why}`,
  statusThatEndsNothing: (status: string) =>
    `the service gave the status "${status}", which ends nothing; it is asked again`,
  seeWho: (id: string, state: string) =>
    `See who did not get it, or may not have: relais campaign report ${id} --state ${state}`,
  toThoseWhoFailed: (id: string) => `; to send to those who failed again: relais campaign retry ${id}`,
  answered: (answer: string, meaning: string) => `${answer}: ${meaning}`,
  story: {
    accepted: 'accepted',
    started: 'started',
    aboutToSend: 'about to send',
    upload: (recipients: string, skipped: string) => `upload of ${recipients} recipients, ${skipped} rows skipped`,
    dropped: (lines: number) =>
      `${lines} ${lines === 1 ? 'line in the middle is' : 'lines in the middle are'} no longer kept`,
    aboutToAsk: 'about to ask the service for it',
    token: 'the service gave a token',
    noToken: (answer: string) => `the service gave no token: ${answer}`,
    aboutToSubmit: (which: string) => `about to submit (send ${which})`,
    submitAnswered: (answer: string) => `submit answered: ${answer}`,
    sendAnswered: (answer: string) => `send answered: ${answer}`,
    asked: (what: string) => `asked: the service says ${what}`,
    askedInVain: (answer: string) => `asked in vain: ${answer}`,
    statistics: (what: string) => `asked the statistics: ${what}`,
    statisticsInVain: (answer: string) => `asked the statistics in vain: ${answer}`,
    named: (what: string, as: string) => `the service named ${what}: ${as}`,
    callback: (claim: string) => `the service called back, claiming ${claim}: not believed, but looked at`,
    resolved: (outcome: string, by: string) => `resolved as ${outcome} by ${by}`,
    approved: (by: string) => `approved by ${by}`,
    rejected: (by: string) => `rejected by ${by}`,
    restored: (state: string) => `PostgreSQL was restored to an earlier point, where the state was ${state}`,
    recordedAgain: 'recorded again from the journal: PostgreSQL was restored to a point before it',
    cancelled: (by: string) => `cancelled by ${by}`,
    interrupted: 'a worker died while it was sending',
    nothing: 'nothing',
    somebody: 'somebody',
  },
} as const;

export type ExplainWords = Whole<typeof englishExplain>;
