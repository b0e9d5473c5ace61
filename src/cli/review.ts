import type { Command } from 'commander';
import { withExample } from './flags.ts';
import { renderExplanation } from './explain.ts';
import type { ExitCode } from './io.ts';
import { renderFacts } from './record.ts';
import { addResolve } from './review-resolve.ts';
import type { Shell } from './shell.ts';

/** In addition to the commands derived from routes: record and explanation are two requests. */
export function addReviewCommands(group: Command, shell: Shell): void {
  addResolve(group, shell);
  const command = group
    .command('show')
    .description('Show a disbursement with its evidence and timeline')
    .argument('<id>')
    .option('--json', 'print record and explanation as JSON')
    .action(shell.action((id: string, flags: { readonly json?: true }) => show(id, flags, shell)));
  withExample(command, 'relais review show dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d');
}

async function show(id: string, { json }: { readonly json?: true }, { api, output }: Shell): Promise<ExitCode> {
  const { body } = await api.get(`/v1/disbursements/${encodeURIComponent(id)}`);
  const { body: explanation } = await api.get(`/v1/explain/${encodeURIComponent(id)}`);
  if (json) await output.json({ ...body, explanation });
  else await output.prose(`${renderFacts(body, output)}\n${renderExplanation(explanation, output)}`);
  return 0;
}
