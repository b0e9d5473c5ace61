/** Every route of the API, in the order of the documentation. Unlisted routes do not exist. */
import { keyRoutes } from './api-keys.ts';
import { auditRoutes } from './audit.ts';
import { balanceRoutes } from './balances.ts';
import { batchRetryRoutes } from './batch-retry.ts';
import { batchRowRoutes } from './batch-rows.ts';
import { batchRoutes } from './batches.ts';
import { campaignRoutes } from './campaigns.ts';
import { directCreditRoutes } from './direct-credits.ts';
import { reportRoutesOfConsole } from './console-reports.ts';
import { disbursementRoutes } from './disbursements.ts';
import { doctorRoutes } from './doctor.ts';
import { documentationRoutes } from './documentation.ts';
import { endpointRoutes } from './event-endpoints.ts';
import { eventRoutes } from './events.ts';
import { explainRoutes } from './explain.ts';
import { intakeRoutes } from './intake.ts';
import { invoiceRoutes } from './invoices.ts';
import { limitRoutes } from './limits.ts';
import { messageRoutes } from './messages.ts';
import { accountRoutes, callbackRoutes, queueRoutes, secretRoutes } from './operating.ts';
import { optOutRoutes } from './opt-outs.ts';
import { paymentRequestRoutes } from './payment-requests.ts';
import { providerRoutes } from './provider-sign-in.ts';
import { purgeRoutes } from './purge.ts';
import { recoveryRoutes } from './recovery.ts';
import { reconciliationRoutes } from './reconciliations.ts';
import { reportRoutes } from './reports.ts';
import { reviewRoutes } from './review.ts';
import { reviewSelectionRoutes } from './review-selection.ts';
import { searchRoutes } from './search.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { smsStatisticsRoutes } from './sms-statistics.ts';
import { statusRoutes } from './status.ts';

export const routes: readonly Route[] = [
  ...disbursementRoutes,
  ...batchRoutes,
  ...batchRowRoutes,
  ...batchRetryRoutes,
  ...campaignRoutes,
  ...messageRoutes,
  ...smsStatisticsRoutes,
  ...optOutRoutes,
  ...invoiceRoutes,
  ...paymentRequestRoutes,
  ...directCreditRoutes,
  ...eventRoutes,
  ...endpointRoutes,
  ...reviewRoutes,
  ...reviewSelectionRoutes,
  ...searchRoutes,
  ...explainRoutes,
  ...callbackRoutes,
  ...sessionRoutes,
  ...providerRoutes,
  ...reportRoutesOfConsole,
  ...statusRoutes,
  ...doctorRoutes,
  ...queueRoutes,
  ...intakeRoutes,
  ...accountRoutes,
  ...limitRoutes,
  ...secretRoutes,
  ...keyRoutes,
  ...auditRoutes,
  ...purgeRoutes,
  ...recoveryRoutes,
  ...balanceRoutes,
  ...reportRoutes,
  ...reconciliationRoutes,
  ...documentationRoutes(() => routes),
];
