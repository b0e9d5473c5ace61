/**
 * Adds up vitest's reports and prints `N passed, N failed`. A file that could not be loaded, or a missing report,
 * counts as one failure: tests that did not run must not look successful.
 */
import { readFileSync } from 'node:fs';

/** @param {string} path */
function totalsOf(path) {
  try {
    const report = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
    const unloaded = report.testResults.filter(
      (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
        file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
  } catch (error) {
    process.stderr.write(`no report of ${path}: ${String(error)}\n`);
    return { passed: 0, failed: 1 };
  }
}

const totals = process.argv.slice(2).map(totalsOf);
const sum = (/** @type {'passed' | 'failed'} */ which) => totals.reduce((total, one) => total + one[which], 0);
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
