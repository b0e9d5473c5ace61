export function Mark() {
  return (
    <span className="flex items-center gap-2 text-xl font-semibold">
      <svg viewBox="0 0 32 32" className="size-8 text-accent" aria-hidden="true" fill="currentColor">
        <rect width="32" height="32" rx="8" />
        <path
          d="M7 16h11m-4-5 5 5-5 5M23 8v16"
          fill="none"
          className="stroke-on-accent"
          strokeWidth="3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      relais
    </span>
  );
}
