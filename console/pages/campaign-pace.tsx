/** How fast a campaign leaves: asked where it is made, and where it runs. */
import { Labelled } from '../parts/field.tsx';
import { useWords } from '../parts/language.tsx';

interface PaceFieldProps {
  /** Recipients a second; empty: as fast as the account may. */
  readonly written: string;
  readonly write: (written: string) => void;
}

export const paceWritten = (perSecond: number | null): string => (perSecond === null ? '' : String(perSecond));

/** undefined: what is written is no pace. */
export function paceOf(written: string): number | null | undefined {
  const value = Number(written);
  if (written === '') return null;
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

export function PaceField({ written, write }: PaceFieldProps) {
  const says = useWords().pages.campaign;
  return (
    <Labelled label={says.perSecond} hint={says.paceHint}>
      {(told) => (
        <input
          {...told}
          type="number"
          min={1}
          step={1}
          className={`${told.className} max-w-48`}
          value={written}
          onChange={({ target }) => write(target.value)}
        />
      )}
    </Labelled>
  );
}
