/** Common parts of explanations, in addition to the sentences declared with states, reasons and failures. */
import type { Whole } from './said.ts';

export const englishExplain = {
  reference: (name: string) => `, reference ${name}`,
  kinds: {
    disbursement: (what: string, mode: string, reference: string) =>
      `Disbursement of ${what} by ${mode}${reference}.`,
    message: (to: string, reference: string) => `SMS to ${to}${reference}.`,
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
  cannotGoOn: (why: string) => `It cannot continue now: ${why}.`,
  lastAnswer: (why: string) => `The last answer: ${why}.`,
  settledBy: (state: string) => `A person resolved it as ${state}.`,
  named: (what: string) => `The provider reported: ${what}.`,
  posted: 'A callback may differ: relais trusts only the answer to its own status check.',
  late: 'This came late: relais reported another status before.',
  approvedBy: (by: string) => `Approved by ${by}.`,
  rejectedBy: (by: string, note: string) => `Rejected by ${by}: “${note}”.`,
  decidedBy: (by: string, note: string) => `Decided by ${by}: “${note}”.`,
  askThem: 'Ask the recipient whether the SMS came. To send it again, use another reference.',
  people: (count: string, many: number) => `${count} ${many === 1 ? 'recipient' : 'recipients'}`,
  rows: (counts: string) => `Rows: ${counts}.`,
  accountHeld: (why: string) => `the account is held: ${why}`,
  statusThatEndsNothing: (status: string) =>
    `the provider gave the status "${status}", which is not final; relais asks again`,
  seeWho: (id: string, state: string) =>
    `See the recipients who did not get it, or may not have: relais campaign report ${id} --state ${state}`,
  toThoseWhoFailed: (id: string) => `; to send to the failed recipients again: relais campaign retry ${id}`,
  answered: (answer: string, meaning: string) => `${answer}: ${meaning}`,
  story: {
    accepted: 'accepted',
    started: 'started',
    aboutToSend: 'about to send',
    upload: (recipients: string, skipped: string) => `upload of ${recipients} recipients, ${skipped} rows skipped`,
    dropped: (lines: number) =>
      `${lines} ${lines === 1 ? 'line in the middle is' : 'lines in the middle are'} no longer stored`,
    aboutToAsk: 'about to ask the provider for it',
    token: 'the provider gave a token',
    noToken: (answer: string) => `the provider gave no token: ${answer}`,
    aboutToSubmit: (which: string) => `about to submit (send ${which})`,
    submitAnswered: (answer: string) => `submit answered: ${answer}`,
    sendAnswered: (answer: string) => `send answered: ${answer}`,
    asked: (what: string) => `asked: the provider reports ${what}`,
    askedInVain: (answer: string) => `asked without result: ${answer}`,
    statistics: (what: string) => `asked the statistics: ${what}`,
    statisticsInVain: (answer: string) => `asked the statistics without result: ${answer}`,
    named: (what: string, as: string) => `the provider reported ${what}: ${as}`,
    callback: (claim: string) => `callback of the provider with ${claim}: not trusted, status check started`,
    resolved: (outcome: string, by: string) => `resolved as ${outcome} by ${by}`,
    approved: (by: string) => `approved by ${by}`,
    rejected: (by: string) => `rejected by ${by}`,
    restored: (state: string) => `PostgreSQL was restored from a backup with the state ${state}`,
    recordedAgain: 'recorded again from the journal: PostgreSQL was restored from an earlier backup',
    cancelled: (by: string) => `cancelled by ${by}`,
    interrupted: 'a worker died while it was sending',
    nothing: 'nothing',
    somebody: 'an unknown person',
  },
} as const;

export type ExplainWords = Whole<typeof englishExplain>;
