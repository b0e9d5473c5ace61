/** The check as the API makes it: it knows the campaign, who is in it already, and who has opted out. */
import type { CheckSummary } from '../campaigns/check/summary.ts';
import { uploadTypes } from './campaign-create.ts';
import { checkFile } from './recipients-file.ts';
import { withRereadable } from './recipients-source.ts';
import type { Shell } from './shell.ts';

interface There {
  readonly campaign: string;
  readonly repair?: readonly string[] | undefined;
  readonly preview?: number | undefined;
}

/** A dry run of the upload: nothing is added to the campaign. */
export async function checkThere(
  file: string,
  { campaign, repair, preview }: There,
  { io, api }: Shell,
): Promise<CheckSummary> {
  return withRereadable(file, io, async (source) => {
    // Read here first: a file that cannot be used is said so in the same words as ever.
    const { format } = await checkFile(source, {});
    const query = new URLSearchParams({
      dryRun: 'true',
      ...(repair && { repair: repair.join(',') }),
      ...(preview !== undefined && { preview: String(preview) }),
    });
    const path = `/v1/campaigns/${encodeURIComponent(campaign)}/recipients?${query.toString()}`;
    const { body } = await api.upload(path, source.open(), uploadTypes[format]);
    // The API writes what `checkFile` gives here, of the same type; nothing is decided by it but what is shown.
    return body as unknown as CheckSummary;
  });
}
