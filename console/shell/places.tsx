/** Every address with its page. A page is loaded when it is opened. */
import { lazy } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useReach } from '../asking/session.tsx';
import { NotAllowed, Notice, Page } from '../parts/page.tsx';
import { useWords } from '../parts/language.tsx';
import { type Entry, entryAt } from './entries.ts';

const Today = lazy(async () => ({ default: (await import('../pages/today.tsx')).Today }));
const Operations = lazy(async () => ({ default: (await import('../pages/operations.tsx')).Operations }));
const Operation = lazy(async () => ({ default: (await import('../pages/operation.tsx')).Operation }));
const Search = lazy(async () => ({ default: (await import('../pages/search.tsx')).Search }));
const Review = lazy(async () => ({ default: (await import('../pages/review.tsx')).Review }));
const Approvals = lazy(async () => ({ default: (await import('../pages/approvals.tsx')).Approvals }));
const Approval = lazy(async () => ({ default: (await import('../pages/approval.tsx')).Approval }));
const Accounts = lazy(async () => ({ default: (await import('../pages/accounts.tsx')).Accounts }));
const Reports = lazy(async () => ({ default: (await import('../pages/reports.tsx')).Reports }));
const Campaigns = lazy(async () => ({ default: (await import('../pages/campaigns.tsx')).Campaigns }));
const Campaign = lazy(async () => ({ default: (await import('../pages/campaign.tsx')).Campaign }));
const ReviewMany = lazy(async () => ({ default: (await import('../pages/review-many.tsx')).ReviewMany }));
const OptOuts = lazy(async () => ({ default: (await import('../pages/opt-outs.tsx')).OptOuts }));
const Balances = lazy(async () => ({ default: (await import('../pages/balances.tsx')).Balances }));
const Health = lazy(async () => ({ default: (await import('../pages/health.tsx')).Health }));
const Doctor = lazy(async () => ({ default: (await import('../pages/doctor.tsx')).Doctor }));
const Queues = lazy(async () => ({ default: (await import('../pages/queues.tsx')).Queues }));
const Endpoints = lazy(async () => ({ default: (await import('../pages/endpoints.tsx')).Endpoints }));
const OneEndpoint = lazy(async () => ({ default: (await import('../pages/endpoint.tsx')).OneEndpoint }));
const Limits = lazy(async () => ({ default: (await import('../pages/limits.tsx')).Limits }));
const Audit = lazy(async () => ({ default: (await import('../pages/audit.tsx')).Audit }));
const Keys = lazy(async () => ({ default: (await import('../pages/keys.tsx')).Keys }));
const Forget = lazy(async () => ({ default: (await import('../pages/forget.tsx')).Forget }));
const Pay = lazy(async () => ({ default: (await import('../pages/pay.tsx')).Pay }));
const PayFile = lazy(async () => ({ default: (await import('../pages/pay-file.tsx')).PayFile }));
const Collect = lazy(async () => ({ default: (await import('../pages/collect.tsx')).Collect }));
const Reconcile = lazy(async () => ({ default: (await import('../pages/reconcile.tsx')).Reconcile }));
const NewCampaign = lazy(async () => ({ default: (await import('../pages/make-new.tsx')).NewCampaign }));
const Make = lazy(async () => ({ default: (await import('../pages/make.tsx')).Make }));

/** Pages outside the navigation: search results, and items of lists. */
const OTHER: Pick<Entry, 'roles' | 'ofAll'> = { roles: ['read'] };

export function Places() {
  const reaches = useReach();
  const [at] = useLocation();
  const { parts } = useWords();
  const { roles, ofAll = false } = entryAt(at) ?? OTHER;
  if (!reaches({ roles, ofAll })) {
    return (
      <Page title={parts.forbiddenTitle}>
        <NotAllowed needs={roles} ofAll={ofAll} />
      </Page>
    );
  }
  return (
    <Switch>
      <Route path="/" component={Today} />
      <Route path="/operations/:kind?">{({ kind }) => <Operations listed={kind} />}</Route>
      <Route path="/o/:id">{({ id }) => <Operation key={id} id={id} />}</Route>
      <Route path="/search" component={Search} />
      <Route path="/review" component={Review} />
      <Route path="/approvals" component={Approvals} />
      <Route path="/approvals/:id">{({ id }) => <Approval key={id} id={id} />}</Route>
      <Route path="/accounts" component={Accounts} />
      <Route path="/reports" component={Reports} />
      <Route path="/campaigns" component={Campaigns} />
      <Route path="/campaigns/new" component={NewCampaign} />
      <Route path="/campaigns/:id/make/:step?">{({ id, step }) => <Make key={id} id={id} step={step} />}</Route>
      <Route path="/campaigns/:id">{({ id }) => <Campaign key={id} id={id} />}</Route>
      <Route path="/review/many" component={ReviewMany} />
      <Route path="/opt-outs" component={OptOuts} />
      <Route path="/balances" component={Balances} />
      <Route path="/health" component={Health} />
      <Route path="/doctor" component={Doctor} />
      <Route path="/queues" component={Queues} />
      <Route path="/endpoints" component={Endpoints} />
      <Route path="/endpoints/:id">{({ id }) => <OneEndpoint key={id} id={id} />}</Route>
      <Route path="/collect/:way?">{({ way }) => <Collect way={way} />}</Route>
      <Route path="/pay/:way?">{({ way }) => (way === 'file' ? <PayFile /> : <Pay />)}</Route>
      <Route path="/reconcile" component={Reconcile} />
      <Route path="/limits" component={Limits} />
      <Route path="/audit" component={Audit} />
      <Route path="/keys" component={Keys} />
      <Route path="/forget" component={Forget} />
      <Route>
        <Page title={parts.notFoundTitle}>
          <Notice>{parts.notFound}</Notice>
        </Page>
      </Route>
    </Switch>
  );
}
