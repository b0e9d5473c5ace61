/** An arrow back or forward: drawn, since not every font has it. */
export function Arrow({ to }: { readonly to: 'left' | 'right' }) {
  return (
    <svg viewBox="0 0 16 16" className="inline size-4" aria-hidden="true" fill="none" stroke="currentColor">
      <path
        d={to === 'left' ? 'M13 8H3m4-4L3 8l4 4' : 'M3 8h10M9 4l4 4-4 4'}
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
