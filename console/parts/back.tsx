import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Arrow } from './arrow.tsx';

/** The link to the page's list, above its title. */
export function Back({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className="link mb-3 inline-flex items-center gap-1">
      <Arrow to="left" /> {children}
    </Link>
  );
}
