/** A sign for each job of the navigation, drawn with one line. */
import type { Job } from './entries.ts';

const LINES: Readonly<Record<Exclude<Job, 'first'>, string>> = {
  send: 'M2 8 14 2.5 10.5 14 7.5 9z M7.5 9 14 2.5',
  pay: 'M2 11.5V5h12v6.5z M8 6.8v2.9 M12 14.5H4 M12 2 8 2',
  collect: 'M8 2v7.5 M4.5 6.5 8 10l3.5-3.5 M2.5 10v3.5h11V10',
  control: 'M2.5 8.5 6 12l7.5-8',
  operate: 'M2 5h7 M13 5h1 M11 3v4 M2 11h1 M7 11h7 M5 9v4',
};

export function JobIcon({ job }: { readonly job: Exclude<Job, 'first'> }) {
  return (
    <svg viewBox="0 0 16 16" className="size-4 shrink-0" aria-hidden="true" fill="none" stroke="currentColor">
      <path d={LINES[job]} strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
