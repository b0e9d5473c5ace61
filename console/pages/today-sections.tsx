/** Blocked work, running work, balances, workers. */
import { Link } from 'wouter';
import { AsOf, Moment, Money, Since, countIn, momentIn, moneyIn, spanIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Section } from '../parts/page.tsx';
import { Reason } from '../parts/reason.tsx';
import { Sign, State } from '../parts/state.tsx';
import type { OfStatus } from './today.tsx';

export function Holds({ status: { holds }, at }: OfStatus) {
  const words = useWords();
  const says = words.pages.today;
  return (
    <Section title={says.held}>
      {holds.length === 0 ? (
        <p className="flex items-center gap-2 text-done">
          <Sign tone="done" /> {says.nothingHeld}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {holds.map(({ account, area, reason, since, until, count, xof, came }) => (
            <li key={`${account}${area}`} className="py-2.5">
              <p className="flex flex-wrap items-center justify-between gap-2 font-medium">
                <span>
                  {account}, {words.areas[area] ?? area}
                </span>
                <span className="inline-flex items-center gap-1.5 rounded-full bg-held-soft px-2 py-0.5 text-sm text-held">
                  <Sign tone="held" /> <Since at={since} />
                </span>
              </p>
              <p className="text-quiet">
                <Reason word={reason} />
              </p>
              {came !== undefined && <p className="text-sm text-quiet break-words">{came}</p>}
              <p className="text-sm">
                {count === 0
                  ? says.behindNothing
                  : area === 'messaging'
                    ? says.behindTexts(countIn(words, count))
                    : says.behind(countIn(words, count), moneyIn(words, xof))}{' '}
                {until === null
                  ? says.personEnds
                  : says.triedAgain(momentIn(words, new Date(until), new Date(), true))}
              </p>
            </li>
          ))}
        </ul>
      )}
      <AsOf at={at} />
    </Section>
  );
}

export function Campaigns({ status: { campaigns }, at }: OfStatus) {
  const words = useWords();
  const says = words.pages.today;
  return (
    <Section title={says.campaigns}>
      {campaigns.length === 0 ? (
        <p className="text-quiet">{says.noCampaign}</p>
      ) : (
        <ul className="divide-y divide-line">
          {campaigns.map(({ id, name, state, total, waiting, eta }) => (
            <li key={id} className="py-2.5">
              <p className="flex flex-wrap items-center justify-between gap-2">
                <Link to={`/campaigns/${id}`} className="link font-medium">
                  {name}
                </Link>
                <State kind="campaign" state={state} />
              </p>
              <p className="text-sm text-quiet">
                {says.toGo(countIn(words, waiting), countIn(words, total))}
                {eta === null ? '' : ` · ${says.done(momentIn(words, new Date(eta), new Date()))}`}
              </p>
            </li>
          ))}
        </ul>
      )}
      <AsOf at={at} />
    </Section>
  );
}

export function Balances({ status: { balances } }: Pick<OfStatus, 'status'>) {
  const words = useWords();
  const says = words.pages.today;
  if (balances.length === 0) return null;
  return (
    <Section title={says.balances}>
      <p className="mb-2 text-sm text-quiet">{words.figures.from.service}</p>
      <ul className="divide-y divide-line">
        {balances.map(({ account, country, xof, inFlight, at }) => (
          <li key={`${account}${country}`} className="flex flex-wrap justify-between gap-2 py-2.5">
            <span>
              {account}, {country}
              <span className="block text-sm text-quiet">
                <Moment at={at} seconds />
              </span>
            </span>
            <span className="text-right">
              {xof === null ? says.notRead : <Money xof={xof} />}
              {xof !== null && inFlight > 0 && (
                <span className={`block text-sm ${xof < inFlight ? 'font-semibold text-bad' : 'text-quiet'}`}>
                  {says.afterwards(moneyIn(words, xof - inFlight), moneyIn(words, inFlight))}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Works({ status: { workers, queues }, at }: OfStatus) {
  const words = useWords();
  const says = words.pages.today;
  const waiting = queues.reduce((sum, one) => sum + one.waiting, 0);
  const oldest = Math.max(0, ...queues.map(({ oldestMs }) => oldestMs));
  return (
    <Section title={says.works}>
      <ul className="space-y-1">
        <li className={workers === 0 ? 'font-semibold text-bad' : ''}>
          {workers === 0 ? says.noWorkers : says.workers(countIn(words, workers))}
        </li>
        <li>{waiting === 0 ? says.noBacklog : says.backlog(countIn(words, waiting), spanIn(words, oldest))}</li>
      </ul>
      <AsOf at={at} />
    </Section>
  );
}
