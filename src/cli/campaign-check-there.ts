/** The check by the API, which knows the campaign, its numbers and the opt-outs. */
import type { CheckSummary } from '../campaigns/check/report.ts';
import type { JsonObject } from './client.ts';
import { checkFile, contentTypeOf, type FileFlags, queryOf, readingOf } from './recipients-file.ts';
import { withRereadable } from './recipients-source.ts';
import { Unreadable } from './refusal.ts';
import type { Shell } from './shell.ts';

interface There extends FileFlags {
  readonly campaign: string;
  readonly preview?: number | undefined;
}

/** A dry run of the upload: nothing is added to the campaign. */
export async function checkThere(
  file: string,
  { campaign, preview, ...flags }: There,
  shell: Shell,
): Promise<CheckSummary> {
  const { api, language } = shell;
  return withRereadable(file, shell, async (source) => {
    // Read locally first: an unusable file is reported with the usual texts.
    const { format } = await checkFile(source, readingOf(flags), { language });
    const query = new URLSearchParams({
      dryRun: 'true',
      ...queryOf(flags),
      ...(preview !== undefined && { preview: String(preview) }),
    });
    const path = `/v1/campaigns/${encodeURIComponent(campaign)}/recipients?${query.toString()}`;
    const { body, status } = await api.upload(path, source.open(), contentTypeOf(format, flags.encoding));
    if (isSummary(body)) return body;
    throw new Unreadable(api.url, status, shell);
  });
}

/** The API returns the type of `checkFile`; it decides only what is shown. */
function isSummary(body: JsonObject): body is JsonObject & CheckSummary {
  const counted = ['total', 'recipients', 'skipped', 'blank'].every((name) => typeof body[name] === 'number');
  return counted && ['reasons', 'countries', 'repaired'].every((name) => body[name] instanceof Object);
}
