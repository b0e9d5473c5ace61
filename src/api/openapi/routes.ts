/** Every route of this door, in the order of the documentation. A route that is missing here fails a test. */
import { invoiceRoutes, paymentRequestRoutes } from './routes-collect.ts';
import { balanceRoutes, batchRoutes, directCreditRoutes, disbursementRoutes } from './routes-money.ts';
import { documentationRoutes, eventRoutes, operatingRoutes } from './routes-operating.ts';
import { campaignRoutes, messageRoutes, optOutRoutes } from './routes-texts.ts';
import type { RouteDeclaration } from './route.ts';

export const routes: readonly RouteDeclaration[] = [
  ...disbursementRoutes,
  ...batchRoutes,
  ...campaignRoutes,
  ...messageRoutes,
  ...optOutRoutes,
  ...invoiceRoutes,
  ...paymentRequestRoutes,
  ...directCreditRoutes,
  ...eventRoutes,
  ...operatingRoutes,
  ...balanceRoutes,
  ...documentationRoutes,
];
