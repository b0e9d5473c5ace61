/** Texts about a file of disbursements. */
export const englishBatch = {
  labels: {
    id: 'id',
    state: 'state',
    account: 'account',
    file: 'file',
    retryOf: 'pays again',
    outcome: 'outcome',
    notify: 'SMS to payees',
    hash: 'hash',
    inAll: 'in all',
    uploadedBy: 'uploaded by',
    approvedBy: 'approved by',
    expires: 'expires',
    created: 'created',
  },
  /** Payment outcomes of `many` rows. */
  outcomes: {
    paid: (count: string, _many: number) => `${count} paid`,
    notPaid: (count: string, _many: number) => `${count} not paid`,
    uncertain: (count: string, _many: number) => `${count} uncertain`,
    open: (count: string, _many: number) => `${count} pending`,
    elsewhere: (count: string, _many: number) => `${count} accepted before, not paid again`,
  },
  firstRows: 'The first rows:',
  sum: (count: string, one: boolean, xof: string) => `${count} ${one ? 'row' : 'rows'}, ${xof}`,
  row: (row: number) => `row ${row}`,
  theFile: 'the file',
  place: (parts: string) => `${parts}:`,
  more: (count: string) => `… and ${count} more`,
  dryRun: 'Dry run: nothing was sent.',
  invalid: 'No row can be paid. Correct the file and upload it again.',
  awaiting: (command: string) => `Nothing is paid yet. Next, a different person: ${command}`,
  before: (command: string) => `It was handed in and approved before: ${command}`,
  anew: (state: string) =>
    `It was uploaded before and is ${state}. To upload it again, add an empty line to the file.`,
  problemsAreIn: (file: string) => `All that is wrong is in ${file}`,
  columnRead: (field: string, heading: string) => `${field}: column ${heading}`,
  walletUnknown: (name: string, rows: string) =>
    `${name} (rows: ${rows}): name its withdraw mode with --wallet-name "${name}:MODE"`,
  letBePaid: 'Let all of it be paid?',
  goesOn: (command: string) => `Follow its progress: ${command}`,
} as const;
