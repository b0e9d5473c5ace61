/** Pages that belong together, each with an address. */
import { Link, useLocation } from 'wouter';

interface TabsProps {
  readonly label: string;
  readonly of: readonly (readonly [address: string, name: string])[];
  /** The address of the page that is shown; absent: where the browser is. */
  readonly here?: string;
}

export function Tabs({ label, of, here }: TabsProps) {
  const [place] = useLocation();
  const at = here ?? place;
  return (
    <nav aria-label={label} className="mb-4 flex flex-wrap gap-2">
      {of.map(([address, name]) => (
        <Link
          key={address}
          to={address}
          aria-current={address === at ? 'page' : undefined}
          className={`rounded-full border px-3 py-1.5 text-sm no-underline ${address === at ? 'border-accent bg-accent-soft text-accent' : 'border-line bg-sheet hover:bg-sunk'}`}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
