/** What is said of a file of disbursements. */
export const englishBatch = {
  labels: {
    id: 'id',
    state: 'state',
    account: 'account',
    hash: 'hash',
    inAll: 'in all',
    uploadedBy: 'uploaded by',
    approvedBy: 'approved by',
    expires: 'expires',
    created: 'created',
  },
  sum: (count: string, one: boolean, xof: string) => `${count} ${one ? 'row' : 'rows'}, ${xof}`,
  row: (row: number) => `row ${row}`,
  theFile: 'the file',
  place: (parts: string) => `${parts}:`,
  more: (count: string) => `… and ${count} more`,
  dryRun: 'Dry run: nothing was sent.',
  invalid: 'Nothing of it can be paid. Mend the file and hand it in again.',
  awaiting: (command: string) => `Nothing is paid yet. Next, with another key: ${command}`,
  before: (command: string) => `It was handed in and approved before: ${command}`,
  anew: (state: string) =>
    `It was handed in before and is ${state}. To hand it in anew, add an empty line to the file.`,
  problemsAreIn: (file: string) => `All that is wrong is in ${file}`,
  letBePaid: 'Let all of it be paid?',
  goesOn: (command: string) => `Follow its progress: ${command}`,
} as const;
