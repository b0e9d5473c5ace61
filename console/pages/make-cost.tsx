/** The cost, compared with the budget, and whether another person must approve it. */
import { Link } from 'wouter';
import type { Answer } from '../asking/ask.ts';
import { useAsk } from '../asking/queries.ts';
import { AsOf, Count, Money, countIn, moneyIn } from '../parts/figures.tsx';
import { useWords } from '../parts/language.tsx';
import { Read, Section } from '../parts/page.tsx';
import { type Draft, type Report, countryNames, useMaking } from './make-draft.ts';
import { Judged, Onward } from './make-parts.tsx';

export function CostStep({ draft }: { readonly draft: Draft }) {
  const { says } = useMaking();
  const { campaign, kept } = draft;
  const isOpen = (kept.report?.decisions.length ?? 0) > 0;
  return (
    <>
      {campaign.text === '' ? (
        <div className="sheet p-5">
          <p className="mb-3">{says.text.needed}</p>
          <Link to={draft.to('text')} className="button button-main">
            {says.steps.text}
          </Link>
        </div>
      ) : (
        <Judged draft={draft}>{kept.report && <Cost draft={draft} report={kept.report} />}</Judged>
      )}
      {isOpen && campaign.text !== '' && (
        <p className="mt-4 rounded-lg bg-asks-soft px-3 py-2 text-asks" data-open="">
          {says.cost.open}{' '}
          <Link to={draft.to('people')} className="link">
            {says.cost.toDecide}
          </Link>
        </p>
      )}
      <Onward draft={draft} step="cost" />
    </>
  );
}

interface CostProps {
  readonly draft: Draft;
  readonly report: Report;
}

function Cost({ draft, report }: CostProps) {
  const words = useWords();
  const { says } = useMaking();
  const { recipients, segments, cost } = report;
  return (
    <>
      <section className="sheet mb-5 p-5" data-cost={cost?.xof}>
        <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
          <Figure name={says.cost.people} is={<Count value={recipients} />} />
          <Figure name={says.cost.parts} is={<Count value={segments?.total ?? 0} />} />
          {cost && <Figure name={says.cost.price} is={<Money xof={cost.xof} />} />}
        </dl>
        <p className="mt-3 text-sm text-quiet">{cost ? says.cost.estimate : says.cost.noPrice}</p>
        {(cost?.unpriced.length ?? 0) > 0 && (
          <p className="mt-2 text-held">{says.cost.unpriced(cost?.unpriced.join(', ') ?? '')}</p>
        )}
        {(segments?.long ?? 0) > 0 && <p className="mt-2">{says.cost.long(countIn(words, segments?.long ?? 0))}</p>}
        <Countries report={report} />
      </section>
      <Budgets account={draft.campaign.account} xof={cost?.xof ?? 0} />
      <Section title={says.cost.limit}>
        <ApprovalLimit report={report} />
      </Section>
    </>
  );
}

function Figure({ name, is }: { readonly name: string; readonly is: React.ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-quiet">{name}</dt>
      <dd className="text-2xl font-semibold">{is}</dd>
    </div>
  );
}

function Countries({ report: { countries = {} } }: { readonly report: Report }) {
  const { says, language } = useMaking();
  const names = countryNames(language);
  const rows = Object.entries(countries);
  if (rows.length < 2) return null;
  return (
    <table className="mt-4 w-full border-collapse text-left">
      <thead className="text-sm text-quiet">
        <tr className="border-b border-line">
          {[says.cost.country, says.cost.people, says.cost.parts, says.cost.price].map((name, at) => (
            <th key={name} scope="col" className={`py-2 pr-3 ${at === 0 ? '' : 'text-right'}`}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([code, { recipients, segments, estimatedXof }]) => (
          <tr key={code} className="border-b border-line last:border-0">
            <td className="py-2 pr-3">{/^[A-Z]{2}$/.test(code) ? names.of(code) : `+${code}`}</td>
            <td className="py-2 pr-3 text-right">
              <Count value={recipients} />
            </td>
            <td className="py-2 pr-3 text-right">
              <Count value={segments} />
            </td>
            <td className="py-2 pr-3 text-right">
              {estimatedXof === undefined ? '–' : <Money xof={estimatedXof} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Budget = Answer<'listBudgets'>['items'][number];

function Budgets({ account, xof }: { readonly account: string; readonly xof: number }) {
  const { says } = useMaking();
  const budgets = useAsk('listBudgets', { account }, { everyMs: 30_000 });
  return (
    <Section title={says.cost.budget}>
      <Read of={budgets}>
        {({ items }, at) => (
          <>
            {items.length === 0 && <p>{says.cost.noBudget}</p>}
            <ul className="space-y-4">
              {items.map((one) => (
                <li key={one.limit} data-budget={one.limit}>
                  <BudgetLine budget={one} xof={xof} />
                </li>
              ))}
            </ul>
            <AsOf at={at} />
          </>
        )}
      </Read>
    </Section>
  );
}

const WIDTH = 1_000;

function BudgetLine({ budget: { limit, value, spent }, xof }: { readonly budget: Budget; readonly xof: number }) {
  const words = useWords();
  const { says } = useMaking();
  const left = value - spent - xof;
  const share = (part: number): number => Math.min(WIDTH, Math.max(0, (part / value) * WIDTH));
  const verdict = left >= 0 ? says.cost.fits(moneyIn(words, left)) : says.cost.over(moneyIn(words, -left));
  return (
    <>
      <p className="flex flex-wrap justify-between gap-2">
        <span className="font-medium">{limit === 'SMS_BUDGET_DAY' ? says.cost.day : says.cost.month}</span>
        <span>{says.cost.spent(moneyIn(words, spent), moneyIn(words, value))}</span>
      </p>
      <svg
        viewBox={`0 0 ${String(WIDTH)} 10`}
        preserveAspectRatio="none"
        className="my-1 h-3 w-full overflow-hidden rounded-full bg-sunk"
        aria-hidden="true"
      >
        <rect width={share(spent)} height="10" className="fill-strong-line" />
        <rect
          x={share(spent)}
          width={Math.min(share(xof), WIDTH - share(spent))}
          height="10"
          className={left >= 0 ? 'fill-moving' : 'fill-bad'}
        />
      </svg>
      <p className={left >= 0 ? '' : 'text-bad'} data-fits={left >= 0}>
        {verdict}
      </p>
    </>
  );
}

/** The limit for a second person's approval; undefined while unknown. */
export function useApproval({ recipients, cost }: Report) {
  const words = useWords();
  const { says } = useMaking();
  const limits = useAsk('listLimits', {});
  const of = (name: string): number | null | undefined => limits.data?.items.find((one) => one.name === name)?.value;
  const [xof, people] = [of('CAMPAIGN_APPROVAL_ABOVE_XOF'), of('CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS')];
  const named = [
    ...(typeof xof === 'number' ? [moneyIn(words, xof)] : []),
    ...(typeof people === 'number' ? [says.cost.people_(countIn(words, people))] : []),
  ].join(', ');
  // Without a price the cost is unknown: relais requires an approval then.
  const isUnpriced = cost === undefined || cost.unpriced.length > 0;
  const isAbove =
    (typeof xof === 'number' && (isUnpriced || cost.xof > xof)) ||
    (typeof people === 'number' && recipients > people);
  return { limits, named, isAbove };
}

function ApprovalLimit({ report }: { readonly report: Report }) {
  const { says } = useMaking();
  const { limits, named, isAbove } = useApproval(report);
  return (
    <Read of={limits}>
      {() => (
        <p data-approval={named === '' ? 'none' : isAbove ? 'above' : 'below'}>
          {named === '' ? says.cost.noLimit : isAbove ? says.cost.aboveLimit(named) : says.cost.belowLimit(named)}
        </p>
      )}
    </Read>
  );
}
