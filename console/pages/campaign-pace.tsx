/** The pace of a campaign: a field at its creation, and while it runs. */
import { Labelled } from '../parts/field.tsx';
import { useWords } from '../parts/language.tsx';

interface PaceFieldProps {
  /** Recipients per second; empty: the rate of the account. */
  readonly written: string;
  readonly write: (written: string) => void;
}

export const paceWritten = (perSecond: number | null): string => (perSecond === null ? '' : String(perSecond));

/** undefined: the text is no valid pace. */
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
