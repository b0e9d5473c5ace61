/** English texts of the batch and approval pages. */
import { counted } from './counted.ts';

export const englishPaying = {
  outcomes: {
    paid: (count: string) => `${count} paid`,
    notPaid: (count: string) => `${count} not paid`,
    uncertain: (count: string) => `${count} uncertain`,
    open: (count: string) => `${count} pending`,
    elsewhere: (count: string) => `${count} accepted before`,
  },
  finished: {
    notPaid: (count: string) => `Finished: ${count} not paid`,
    uncertain: (count: string) => `Finished: ${count} uncertain`,
  },
  rowStates: { waiting: 'Not started', elsewhere: 'Accepted before', expired: 'Not approved in time' } as Readonly<
    Record<'waiting' | 'elsewhere' | 'expired', string>
  >,
  advice: {
    invalid: 'The file has problems, so nothing of it is paid. Correct the file and upload it again.',
    awaiting_approval: 'Nothing is paid yet. A different person must approve it.',
    running: 'The payments are in progress. There is nothing to do.',
    needs_review: 'relais was restored from a backup. A person must approve the rows that are left.',
    finished: 'All rows are paid. There is nothing to do.',
    notPaid: 'The people below did not get their money, and relais does not try again by itself.',
    uncertain:
      'It is not known whether some people were paid. Do not pay them another way: decide these payments first.',
    cancelled: 'It was cancelled. Nothing more of it is paid.',
    expired: 'It was not approved in time, so nothing of it is paid.',
  },
  payments: (count: string) => counted(count, 'payment', 'payments'),
  payAgain: (count: string) => `Pay ${counted(count, 'unpaid row', 'unpaid rows')} again`,
  payAgainSays: (amount: string) =>
    `This makes a new batch of ${amount}, with new references. Nothing of it is paid before a different person approves it.`,
  problems: 'Problems in the file',
  rows: 'Rows',
  all: 'All',
  showAll: 'Show all rows',
  noRows: 'No row matches.',
  report: 'Report (CSV)',
  reportName: 'report',
  today: 'Payment batches',
  file: 'File',
  noFile: 'no name',
  retryOf: 'Pays again the unpaid rows of',
  wallet: (letter: string, country: string) => `Wallet ${letter}, ${country}`,
  ofProvider: 'Account at the provider',
  funds: {
    title: 'Is the balance enough?',
    ofCountry: (country: string, says: string) => `${country}: ${says}`,
    notRead: 'The balance could not be read now.',
    enough: (left: string, rest: string) => `yes. About ${left} is available, and about ${rest} will be left.`,
    short: (left: string, missing: string) =>
      `no. About ${left} is available: ${missing} is missing. Payments without funds wait until there are funds.`,
  },
  recent: {
    title: 'Paid to the same people in the last 30 days',
    titleOfPerson: 'Paid to the same person in the last 30 days',
    none: 'Nothing was paid to these people in the last 30 days.',
    noneOfPerson: 'Nothing was paid to this person in the last 30 days.',
    ofPeople: (people: string, amount: string) =>
      `${counted(people, 'person', 'people')} got ${amount} in the last 30 days. The rows show who.`,
    ofRow: (payments: string, amount: string) =>
      `In the last 30 days: ${counted(payments, 'payment', 'payments')}, ${amount}. The last:`,
  },
};
