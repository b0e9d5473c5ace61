/** Night at the recipients: shown before SMS leave, with the choice. */
import { useAct } from '../asking/acts.ts';
import type { Answer } from '../asking/ask.ts';
import { Ended } from '../parts/act.tsx';
import { useWords } from '../parts/language.tsx';

/** `Africa/Dakar` → `Dakar`. */
export const placeOf = (timezone: string): string => (timezone.split('/').at(-1) ?? '').replaceAll('_', ' ');

interface NightProps {
  readonly of: Pick<Answer<'getCampaign'>, 'id' | 'quiet'>;
  /** Absent for an approver: quiet hours are part of the approved content. */
  readonly mayChoose?: boolean;
}

export function Night({ of: { id, quiet }, mayChoose = false }: NightProps) {
  const says = useWords().pages.campaign.night;
  const { act, end, isUnderWay } = useAct('amendCampaign');
  if (!quiet?.night) return null;
  const { hours, clock, timezone, night } = quiet;
  const waits = hours !== null;
  return (
    <div
      className="mb-4 rounded-lg bg-held-soft px-3 py-2 text-held"
      role="status"
      data-night={waits ? 'waits' : 'leaves'}
    >
      <p>
        {says.now(clock, placeOf(timezone))} {waits ? says.waits(hours, night.clock) : says.leaves}
      </p>
      {mayChoose && (
        <button
          type="button"
          className="button mt-2"
          data-decide={waits ? 'at-night' : 'by-day'}
          disabled={isUnderWay}
          onClick={() => void act({ id, body: { quietHours: waits ? 'off' : true } })}
        >
          {waits ? says.send : says.wait(night.clock)}
        </button>
      )}
      {end?.is !== 'done' && <Ended end={end} />}
    </div>
  );
}
