/** Answers with their own output, by their name in openapi.json; others are printed field by field. */
import type { JsonObject } from './client.ts';
import { counted } from '../messages/figures.ts';
import { type Output, printable } from './output.ts';
import { itemsOf, renderFacts } from './record.ts';
import type { Shell } from './shell.ts';

type Printer = (body: JsonObject, shell: Shell) => Promise<void>;

const printers: Readonly<Record<string, Printer>> = {
  Account: (body, shell) => printAccounts([body], shell),
  AccountList: (body, shell) => printAccounts(itemsOf(body), shell),
  Balances: (body, shell) => printBalances(body, shell),
  Batch: async (body, shell) => (await import('./disburse-batch-facts.ts')).printBatch(body, shell),
  Campaign: async (body, shell) => (await import('./campaign.ts')).printCampaign(body, shell),
  EndpointTested: async (body, shell) => shell.output.prose(renderTested(body, shell)),
  IntakeList: async (body, { output }) => output.prose(renderRefused(itemsOf(body), output)),
  Status: async (body, { output }) => output.write((await import('./status.ts')).renderStatus(body, output)),
  DailyReport: async (body, { output }) => (await import('./report.ts')).printDaily(body, output),
  Explanation: async (body, { output }) =>
    output.prose((await import('./explain.ts')).renderExplanation(body, output)),
};

export function printerOf(answer: string | undefined): Printer | undefined {
  return answer === undefined ? undefined : printers[answer];
}

const PER_COUNTRY = ['balances', 'inFlight', 'afterInFlight'] as const;

/** One line per country, whole XOF. */
async function printBalances(body: JsonObject, { output, words }: Shell): Promise<void> {
  const facts = Object.entries(body).filter(([name]) => !PER_COUNTRY.some((one) => one === name));
  const sums = Object.fromEntries(PER_COUNTRY.map((name) => [name, { ...(body[name] as JsonObject | undefined) }]));
  const figure = (sum: unknown): unknown => (typeof sum === 'number' ? counted(sum, words.figures) : sum);
  const rows = Object.keys(sums['balances'] ?? {}).map((country) => ({
    country,
    ...Object.fromEntries(PER_COUNTRY.map((name) => [name, figure(sums[name]?.[country])])),
  }));
  const shown = PER_COUNTRY.filter((name) => body[name] !== undefined);
  await output.write(`${renderFacts(Object.fromEntries(facts), output)}\n`);
  await output.write(output.renderTable(['country', ...shown], rows));
}

/** One line per hold; an account without a hold has one line too. */
async function printAccounts(accounts: readonly JsonObject[], { output, words }: Shell): Promise<void> {
  const rows: JsonObject[] = accounts.flatMap((one): JsonObject[] => {
    const holds = itemsOf(one, 'held').map((hold) => ({ ...hold, account: one['name'], state: 'held' }));
    return holds.length > 0 ? holds : [{ account: one['name'], state: words.shell.accounts.open }];
  });
  await output.write(output.renderTable(['account', 'area', 'state', 'reason', 'since'], rows));
  const held = rows.find(({ reason }) => reason !== undefined);
  if (held) await output.note(words.shell.accounts.meaning(String(held['reason'])));
}

/** As in other HTTP programs: `>` is the request, `<` the answer. */
function renderTested({ request, response, error, ...facts }: JsonObject, { output }: Shell): string {
  const { url, headers = {}, body } = { ...(request as JsonObject | null) };
  const { status, body: text } = { ...(response as JsonObject | null) };
  const said = typeof error === 'string' ? { error } : {};
  const named = Object.entries(headers as JsonObject).map(([name, value]) => `${name}: ${printable(value)}`);
  const marked = (mark: string, lines: readonly unknown[]) =>
    lines.filter((line) => line !== undefined && line !== '').map((line) => `${mark} ${printable(line)}\n`);
  const sent = url === undefined ? [] : marked('>', [`POST ${printable(url)}`, ...named, body]);
  return [renderFacts({ ...facts, ...said }, output), ...sent, ...marked('<', [status, text])].join('');
}

/** One line per job, followed by a line for each problem. */
function renderRefused(jobs: readonly JsonObject[], output: Output): string {
  const columns = ['at', 'kind', 'account', 'reference', 'jobId'];
  const [head = '', ...lines] = output.renderTable(columns, jobs).split('\n');
  const below = jobs.map((job, at) => {
    const problems = itemsOf(job, 'problems').map(
      ({ pointer, message }) =>
        `    ${output.styled('yellow', [printable(pointer), printable(message)].join(' ').trim())}`,
    );
    return [lines[at], ...problems].join('\n');
  });
  return [head, ...below].join('\n');
}
