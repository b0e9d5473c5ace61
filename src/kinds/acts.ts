/**
 * The acts in the audit log: each changing request, by the id of its route, with the name of the act and its
 * `target`. `nothing`: why a request that seems to change something does not.
 */

interface Act {
  readonly act: string;
  readonly names: string;
}

/** A bulk route: each item is logged under the act of the single route. */
interface ManyActs {
  readonly eachAs: string;
}

interface NoAct {
  readonly nothing: string;
}

const ofCampaign = 'the campaign';
const ofEndpoint = 'the endpoint';
const ofAccount = 'the account';
const ofQueue = 'the queue';
const asksOnly = 'it asks the provider what is so, and uses no statement of a person';

export const acts = {
  createDisbursement: { act: 'disbursement.create', names: 'the disbursement' },
  cancelDisbursement: { act: 'disbursement.cancel', names: 'the disbursement' },
  rejectDisbursement: { act: 'disbursement.reject', names: 'the disbursement' },
  approveDisbursement: { act: 'disbursement.approve', names: 'the disbursement' },
  resolveSelection: { eachAs: 'resolveDisbursement' },
  resolveDisbursement: { act: 'disbursement.resolve', names: 'the disbursement' },
  createBatch: { act: 'batch.create', names: 'the batch' },
  rejectBatch: { act: 'batch.reject', names: 'the batch' },
  approveBatch: { act: 'batch.approve', names: 'the batch' },
  retryBatch: { act: 'batch.retry', names: 'the new batch' },
  cancelBatch: { act: 'batch.cancel', names: 'the batch' },
  createCampaign: { act: 'campaign.create', names: ofCampaign },
  amendCampaign: { act: 'campaign.amend', names: ofCampaign },
  addRecipients: { act: 'campaign.upload', names: ofCampaign },
  keepFile: { nothing: 'the upload stores a draft; the later request is recorded' },
  countFile: { act: 'kept-file.upload', names: ofCampaign },
  startCampaign: { act: 'campaign.start', names: ofCampaign },
  rejectCampaign: { act: 'campaign.reject', names: ofCampaign },
  approveCampaign: { act: 'campaign.approve', names: ofCampaign },
  pauseCampaign: { act: 'campaign.pause', names: ofCampaign },
  resumeCampaign: { act: 'campaign.resume', names: ofCampaign },
  cancelCampaign: { act: 'campaign.cancel', names: ofCampaign },
  retryCampaign: { act: 'campaign.retry', names: ofCampaign },
  sendMessages: { act: 'message.send', names: 'the first of the messages that were accepted together' },
  cancelMessage: { act: 'message.cancel', names: 'the message' },
  addOptOuts: { act: 'opt-outs.add', names: 'the list, as `account/sender`; up to a thousand numbers are a line' },
  removeOptOuts: {
    act: 'opt-outs.remove',
    names: 'the list, as `account/sender`; up to a thousand numbers are a line',
  },
  createInvoice: { act: 'invoice.create', names: 'the invoice' },
  confirmInvoice: { nothing: asksOnly },
  resolveInvoice: { act: 'invoice.resolve', names: 'the invoice' },
  startSoftpay: { nothing: 'the payer pays with their own code, and the invoice has the result' },
  confirmSoftpay: { nothing: 'the payer pays with their own code, and the invoice has the result' },
  createPaymentRequest: { act: 'payment-request.create', names: 'the payment request' },
  confirmPaymentRequest: { nothing: asksOnly },
  resolvePaymentRequest: { act: 'payment-request.resolve', names: 'the payment request' },
  createDirectCredit: { act: 'direct-credit.create', names: 'the direct credit' },
  resolveDirectCredit: { act: 'direct-credit.resolve', names: 'the direct credit' },
  createEventEndpoint: { act: 'endpoint.create', names: ofEndpoint },
  deleteEventEndpoint: { act: 'endpoint.delete', names: ofEndpoint },
  replayEvents: { act: 'endpoint.replay', names: ofEndpoint },
  testEventEndpoint: { act: 'endpoint.test', names: ofEndpoint },
  rotateEndpointSecret: { act: 'endpoint.rotate-secret', names: ofEndpoint },
  pauseQueue: { act: 'queue.pause', names: ofQueue },
  resumeQueue: { act: 'queue.resume', names: ofQueue },
  stopAccount: { act: 'account.stop', names: ofAccount },
  releaseAccount: { act: 'account.release', names: ofAccount },
  setLimit: { act: 'limit.set', names: 'the limit' },
  createKey: { act: 'key.create', names: 'the key' },
  revokeKey: { act: 'key.revoke', names: 'the key' },
  createSession: { act: 'session.sign-in', names: 'nothing' },
  createReconciliation: { nothing: 'it compares a statement with stored operations and changes nothing' },
  beginSignIn: { nothing: 'it redirects the browser to the identity provider; the sign-in is recorded' },
  confirmSession: { act: 'session.confirm', names: 'nothing' },
  endSession: { act: 'session.sign-out', names: 'nothing' },
  reportViolation: { nothing: 'it counts what the browser blocked on a page' },
  rotateSecrets: { act: 'secrets.rotate', names: 'nothing' },
  recover: { act: 'recovery.leave', names: 'nothing' },
  purgePerson: { act: 'person.purge', names: 'the number, masked' },
} as const satisfies Readonly<Record<string, Act | ManyActs | NoAct>>;

/** Acts of settings, without a route. */
const ofSettings = ['audit.forget'];

/** Every act in the audit log. */
export const actNames: readonly string[] = [
  ...ofSettings,
  ...new Set(Object.values(acts).flatMap((one) => ('act' in one ? [one.act] : []))),
];

/** Undefined: the route changes nothing. */
export function actOf(route: string): string | undefined {
  const found: Act | ManyActs | NoAct | undefined = Object.hasOwn(acts, route)
    ? acts[route as keyof typeof acts]
    : undefined;
  if (found && 'eachAs' in found) return actOf(found.eachAs);
  return found && 'act' in found ? found.act : undefined;
}
