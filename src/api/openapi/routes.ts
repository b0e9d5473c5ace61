/** Every route of this door, in the order of the documentation. A route that is missing here fails a test. */
import { invoiceRoutes, paymentRequestRoutes } from './routes-collect.ts';
import { balanceRoutes, batchRoutes, directCreditRoutes } from './routes-money.ts';
import { documentationRoutes, eventRoutes, operatingRoutes } from './routes-operating.ts';
import { messageRoutes } from '../messages.ts';
import { campaignRoutes, optOutRoutes } from './routes-texts.ts';
import { disbursementRoutes } from '../disbursements.ts';
import type { RouteDeclaration } from '../route.ts';

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
