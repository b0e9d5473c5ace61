/** Every text with a code, in both languages. */
import { englishFailures } from './english-failures.ts';
import { englishFile } from './english-file.ts';
import { englishFindings } from './english-findings.ts';
import { englishProblems } from './english-problems.ts';
import { englishRefusals } from './english-refusals.ts';
import { englishRequests } from './english-requests.ts';
import { englishSettings } from './english-settings.ts';
import { frenchFailures } from './french-failures.ts';
import { frenchFile } from './french-file.ts';
import { frenchFindings } from './french-findings.ts';
import { frenchProblems } from './french-problems.ts';
import { frenchRefusals } from './french-refusals.ts';
import { frenchRequests } from './french-requests.ts';
import { frenchSettings } from './french-settings.ts';
import { typesetAll } from './typography.ts';

/** Each code is in exactly one of them. */
export const englishParts = [
  englishProblems,
  englishRefusals,
  englishRequests,
  englishSettings,
  englishFindings,
  englishFailures,
  englishFile.reasons,
  englishFile.problems,
  englishFile.details,
] as const;

type Together<Parts extends readonly unknown[]> = Parts extends readonly [infer One, ...infer Rest]
  ? One & Together<Rest>
  : unknown;
export type EnglishTexts = Together<typeof englishParts>;

export const englishTexts = Object.assign({}, ...englishParts) as EnglishTexts;

export const frenchTexts: Readonly<Record<keyof EnglishTexts, string>> = typesetAll({
  ...frenchProblems,
  ...frenchRefusals,
  ...frenchRequests,
  ...frenchSettings,
  ...frenchFindings,
  ...frenchFailures,
  ...frenchFile.reasons,
  ...frenchFile.problems,
  ...frenchFile.details,
});
