/** When nothing of a campaign leaves: asked for where it is made, shown where it is approved and where it runs. */
import type { Answer } from '../asking/ask.ts';
import { useWords } from '../parts/language.tsx';

interface HoursProps {
  readonly of: Pick<Answer<'getCampaign'>, 'quietHours' | 'timezone'>;
}

export function Hours({ of: { quietHours, timezone } }: HoursProps) {
  const says = useWords().pages.campaign;
  const hours = typeof quietHours === 'string' ? quietHours : quietHours ? says.usualHours : says.noHours;
  return timezone === undefined ? hours : `${hours} (${timezone})`;
}
