/** Estimated cost and quiet hours of a campaign: shown in its approval and while it runs. */
import type { Answer } from '../asking/ask.ts';
import { Count, countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { placeOf } from './campaign-night.tsx';

interface RecipientsProps {
  readonly of: Pick<Answer<'getCampaign'>, 'recipients' | 'totals'>;
}

/** The recipients of the SMS, and the rows that are left out. */
export function Recipients({ of: { recipients, totals } }: RecipientsProps) {
  const words = useWords();
  const { total, skipped } = totals;
  return (
    <>
      <Count value={recipients} />
      {skipped > 0 && (
        <span className="block text-sm text-quiet">
          {words.pages.campaign.leftOut(countIn(words, skipped), countIn(words, total))}
        </span>
      )}
    </>
  );
}

interface HoursProps {
  readonly of: Pick<Answer<'getCampaign'>, 'quiet'>;
}

export function Hours({ of: { quiet } }: HoursProps) {
  const says = useWords().pages.campaign;
  return quiet?.hours ? `${quiet.hours} (${placeOf(quiet.timezone)})` : says.noHours;
}

export function Cost({ of: { cost } }: { readonly of: Pick<Answer<'getCampaign'>, 'cost'> }) {
  const words = useWords();
  const says = words.pages.campaign;
  if (cost === undefined) return says.noPrice;
  const { xof, unpriced } = cost;
  return (
    <>
      {moneyIn(words, xof)} <span className="text-sm text-quiet">({says.estimated})</span>
      {unpriced.length > 0 && <span className="block text-held">{says.unpriced(unpriced.join(', '))}</span>}
    </>
  );
}
