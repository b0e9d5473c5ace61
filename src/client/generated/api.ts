/* Made from openapi.json: UPDATE_DOCS=1 npx vitest run --project unit test/docs/client.test.ts */

/** How each is asked. */
export const operations = {
  listDisbursements: {"method":"GET","path":"/v1/disbursements","query":["state","reference","account","createdFrom","createdTo","amountMin","amountMax","token","transactionId","batch","phone","after","limit"],"files":["text/csv"]},
  createDisbursement: {"method":"POST","path":"/v1/disbursements","query":["dryRun"],"identity":"required","files":["application/x-ndjson"]},
  getDisbursement: {"method":"GET","path":"/v1/disbursements/{id}","query":[]},
  cancelDisbursement: {"method":"POST","path":"/v1/disbursements/{id}/cancel","query":[]},
  approveDisbursement: {"method":"POST","path":"/v1/disbursements/{id}/approve","query":[]},
  resolveDisbursement: {"method":"POST","path":"/v1/disbursements/{id}/resolve","query":[]},
  listBatches: {"method":"GET","path":"/v1/disbursement-batches","query":["state","account","createdFrom","createdTo","after","limit"],"files":["text/csv"]},
  createBatch: {"method":"POST","path":"/v1/disbursement-batches","query":["account","name","dryRun"],"identity":"optional","files":["text/csv"]},
  getBatch: {"method":"GET","path":"/v1/disbursement-batches/{id}","query":[]},
  getBatchReport: {"method":"GET","path":"/v1/disbursement-batches/{id}/report","query":[],"files":["text/csv"]},
  approveBatch: {"method":"POST","path":"/v1/disbursement-batches/{id}/approve","query":[]},
  cancelBatch: {"method":"POST","path":"/v1/disbursement-batches/{id}/cancel","query":[]},
  listBatchRows: {"method":"GET","path":"/v1/disbursement-batches/{id}/rows","query":["outcome","after","limit"]},
  listRecentPayments: {"method":"GET","path":"/v1/disbursement-batches/{id}/recent-payments","query":[]},
  retryBatch: {"method":"POST","path":"/v1/disbursement-batches/{id}/retry","query":[]},
  listCampaigns: {"method":"GET","path":"/v1/campaigns","query":["state","reference","account","createdFrom","createdTo","after","limit"],"files":["text/csv"]},
  createCampaign: {"method":"POST","path":"/v1/campaigns","query":["dryRun"],"identity":"required"},
  getCampaign: {"method":"GET","path":"/v1/campaigns/{id}","query":[]},
  amendCampaign: {"method":"PATCH","path":"/v1/campaigns/{id}","query":[]},
  addRecipients: {"method":"POST","path":"/v1/campaigns/{id}/recipients","query":["dryRun","preview","repair","phoneColumn","sheet","takeHidden","take"],"files":["text/csv"]},
  listRecipients: {"method":"GET","path":"/v1/campaigns/{id}/recipients","query":["state","phone","after","limit"],"files":["text/csv"]},
  keepFile: {"method":"POST","path":"/v1/campaigns/{id}/file","query":["name"]},
  getFile: {"method":"GET","path":"/v1/campaigns/{id}/file","query":[]},
  countFile: {"method":"POST","path":"/v1/campaigns/{id}/file/recipients","query":["dryRun","repair","phoneColumn","sheet","takeHidden","take","row","leaveOut","asWritten","seenFile","seenCampaign"],"files":["text/csv"]},
  startCampaign: {"method":"POST","path":"/v1/campaigns/{id}/start","query":[]},
  pauseCampaign: {"method":"POST","path":"/v1/campaigns/{id}/pause","query":[]},
  resumeCampaign: {"method":"POST","path":"/v1/campaigns/{id}/resume","query":[]},
  cancelCampaign: {"method":"POST","path":"/v1/campaigns/{id}/cancel","query":[]},
  approveCampaign: {"method":"POST","path":"/v1/campaigns/{id}/approve","query":[]},
  retryCampaign: {"method":"POST","path":"/v1/campaigns/{id}/retry","query":[],"identity":"optional"},
  listMessages: {"method":"GET","path":"/v1/messages","query":["state","reference","account","createdFrom","createdTo","phone","after","limit"],"files":["text/csv"]},
  sendMessages: {"method":"POST","path":"/v1/messages","query":["dryRun"],"identity":"optional","files":["application/x-ndjson"]},
  getMessage: {"method":"GET","path":"/v1/messages/{id}","query":[]},
  addOptOuts: {"method":"POST","path":"/v1/opt-outs","query":["from","account","country"]},
  removeOptOuts: {"method":"DELETE","path":"/v1/opt-outs","query":["from","account","country"]},
  listOptOuts: {"method":"GET","path":"/v1/opt-outs","query":["from","account","country","phone","after","limit"]},
  listInvoices: {"method":"GET","path":"/v1/invoices","query":["state","reference","account","createdFrom","createdTo","amountMin","amountMax","token","after","limit"],"files":["text/csv"]},
  createInvoice: {"method":"POST","path":"/v1/invoices","query":["dryRun"],"identity":"required"},
  getInvoice: {"method":"GET","path":"/v1/invoices/{id}","query":[]},
  confirmInvoice: {"method":"POST","path":"/v1/invoices/{id}/confirm","query":[]},
  resolveInvoice: {"method":"POST","path":"/v1/invoices/{id}/resolve","query":[]},
  startSoftpay: {"method":"POST","path":"/v1/invoices/{id}/softpay","query":[]},
  confirmSoftpay: {"method":"POST","path":"/v1/invoices/{id}/softpay/confirm","query":[]},
  listPaymentRequests: {"method":"GET","path":"/v1/payment-requests","query":["state","reference","account","createdFrom","createdTo","amountMin","amountMax","phone","after","limit"],"files":["text/csv"]},
  createPaymentRequest: {"method":"POST","path":"/v1/payment-requests","query":["dryRun"],"identity":"required"},
  getPaymentRequest: {"method":"GET","path":"/v1/payment-requests/{id}","query":[]},
  confirmPaymentRequest: {"method":"POST","path":"/v1/payment-requests/{id}/confirm","query":[]},
  resolvePaymentRequest: {"method":"POST","path":"/v1/payment-requests/{id}/resolve","query":[]},
  listDirectCredits: {"method":"GET","path":"/v1/direct-credits","query":["state","reference","account","createdFrom","createdTo","amountMin","amountMax","transactionId","phone","after","limit"],"files":["text/csv"]},
  createDirectCredit: {"method":"POST","path":"/v1/direct-credits","query":["dryRun"],"identity":"required"},
  getDirectCredit: {"method":"GET","path":"/v1/direct-credits/{id}","query":[]},
  resolveDirectCredit: {"method":"POST","path":"/v1/direct-credits/{id}/resolve","query":[]},
  readEvents: {"method":"GET","path":"/v1/events","query":["after","limit","types"]},
  followEvents: {"method":"GET","path":"/v1/stream","query":["types"],"files":["text/event-stream"]},
  createEventEndpoint: {"method":"POST","path":"/v1/event-endpoints","query":[]},
  listEventEndpoints: {"method":"GET","path":"/v1/event-endpoints","query":[]},
  getEventEndpoint: {"method":"GET","path":"/v1/event-endpoints/{id}","query":[]},
  deleteEventEndpoint: {"method":"DELETE","path":"/v1/event-endpoints/{id}","query":[]},
  replayEvents: {"method":"POST","path":"/v1/event-endpoints/{id}/replay","query":[]},
  testEventEndpoint: {"method":"POST","path":"/v1/event-endpoints/{id}/test","query":[]},
  rotateEndpointSecret: {"method":"POST","path":"/v1/event-endpoints/{id}/rotate-secret","query":[]},
  listReview: {"method":"GET","path":"/v1/review","query":["account","after","limit","kind"]},
  resolveSelection: {"method":"POST","path":"/v1/review/resolve","query":[],"files":["application/x-ndjson"]},
  search: {"method":"GET","path":"/v1/search","query":["q"]},
  listTexted: {"method":"GET","path":"/v1/recipients","query":["phone","account","after","limit"]},
  explain: {"method":"GET","path":"/v1/explain/{id}","query":[]},
  getCallback: {"method":"GET","path":"/v1/callbacks/{id}","query":[]},
  createSession: {"method":"POST","path":"/v1/session","query":[]},
  readSession: {"method":"GET","path":"/v1/session","query":[]},
  endSession: {"method":"DELETE","path":"/v1/session","query":[]},
  confirmSession: {"method":"POST","path":"/v1/session/confirm","query":[]},
  readProvider: {"method":"GET","path":"/v1/session/provider","query":[]},
  beginSignIn: {"method":"POST","path":"/v1/session/provider","query":[]},
  finishSignIn: {"method":"GET","path":"/v1/session/callback","query":["code","state","iss","error"]},
  reportViolation: {"method":"POST","path":"/v1/console-reports","query":[]},
  getStatus: {"method":"GET","path":"/v1/status","query":[]},
  examineDeployment: {"method":"GET","path":"/v1/doctor","query":[]},
  listQueues: {"method":"GET","path":"/v1/queues","query":[]},
  pauseQueue: {"method":"POST","path":"/v1/queues/{name}/pause","query":[]},
  resumeQueue: {"method":"POST","path":"/v1/queues/{name}/resume","query":[]},
  listIntake: {"method":"GET","path":"/v1/intake","query":["state","after","limit"]},
  listAccounts: {"method":"GET","path":"/v1/accounts","query":[]},
  stopAccount: {"method":"POST","path":"/v1/accounts/{name}/stop","query":[]},
  releaseAccount: {"method":"POST","path":"/v1/accounts/{name}/release","query":[]},
  listLimits: {"method":"GET","path":"/v1/limits","query":[]},
  listBudgets: {"method":"GET","path":"/v1/budgets","query":["account"]},
  setLimit: {"method":"POST","path":"/v1/limits/{name}","query":[]},
  rotateSecrets: {"method":"POST","path":"/v1/secrets/rotate","query":[]},
  createKey: {"method":"POST","path":"/v1/keys","query":[]},
  listKeys: {"method":"GET","path":"/v1/keys","query":[]},
  revokeKey: {"method":"DELETE","path":"/v1/keys/{id}","query":[]},
  listAudit: {"method":"GET","path":"/v1/audit","query":["after","limit"]},
  verifyAudit: {"method":"GET","path":"/v1/audit/verification","query":[]},
  purgePerson: {"method":"POST","path":"/v1/purge","query":[]},
  getRecovery: {"method":"GET","path":"/v1/recovery","query":["ask"]},
  recover: {"method":"POST","path":"/v1/recovery","query":[]},
  getBalances: {"method":"GET","path":"/v1/balances","query":["account"]},
  getBalance: {"method":"GET","path":"/v1/balances/{accountNumber}","query":["account"]},
  getDailyReport: {"method":"GET","path":"/v1/reports/daily","query":["date","account"],"files":["text/csv","text/html"]},
  getBalancesSeen: {"method":"GET","path":"/v1/reports/balances","query":["from","to","account","after","limit"],"files":["text/csv"]},
  getOpenApi: {"method":"GET","path":"/openapi.json","query":[]},
  getDocs: {"method":"GET","path":"/docs","query":[],"files":["text/html"]},
  getIntakeSchema: {"method":"GET","path":"/v1/schemas/intake","query":[]},
  getProblemKind: {"method":"GET","path":"/problems/{kind}","query":[]},
} as const;

/** What a refusal is called, and what to do about it. */
export const nextSteps = {
  "malformed": "Send JSON in UTF-8, with each name once. In a path, write a percent sign only before two hexadecimal digits.",
  "no-identity": "Send an `Idempotency-Key` header or a `reference` in the body. Without an identity, a retry would create a second request.",
  "unauthenticated": "Send `Authorization: Bearer <key>` with a key of API_KEYS, or one created with `relais keys create`.",
  "forbidden": "Use an API key with the role or the account that `detail` names.",
  "sign-in-again": "Confirm the key with `POST /v1/session/confirm`, then send the request again.",
  "not-found": "Check the path and the id. A resource of an account that the key is not allowed to use is reported as not found.",
  "method-not-allowed": "Use one of the methods in the `Allow` header.",
  "conflict": "Repeat the request of `existingId` unchanged, or use a new identity.",
  "wrong-state": "Read the operation again: its state has changed.",
  "unreadable": "Run `relais doctor`: another version wrote the record, or it is damaged. No worker changes the record.",
  "gone": "Re-read the state of your operations, then read events without a cursor.",
  "removed": "Read its events or your own records. Its identity stays reserved for IDEMPOTENCY_KEEP.",
  "ahead-of-the-stream": "Re-read the state of your operations, then read events without a cursor: PostgreSQL was restored to an earlier point.",
  "too-large": "Send the data in several requests.",
  "unsupported-media-type": "Use a content type that `detail` names.",
  "invalid": "Correct each field that `problems` names, then send the request again.",
  "too-many-requests": "Wait for the time in `Retry-After`, then retry.",
  "no-answer": "Retry the request.",
  "unavailable": "Retry after the time in `Retry-After`. With the same identity, a retry is safe; without one, first check what was created.",
  "busy": "Wait as long as `Retry-After` says, then send it again. Send fewer uploads at the same time.",
  "provider-away": "Retry later, or sign in with an API key.",
  "recovering": "Ask an operator to run `relais recover`. Nothing was done.",
  "upstream-refused": "Check `code`. Repeat the same request only if `retryable` is true.",
  "upstream-silent": "Repeat the same request if `retryable` is true; otherwise, read the stored record first.",
  "internal": "Retry the request. If it fails again, search the log for the `X-Request-Id` of the answer.",
} as const;

/**
 * One, or up to a thousand.
 */
export type MessageRequests = (MessageRequest | MessageRequest[])
export type AnyJson = (string | number | boolean | null | AnyJson[] | {
  [k: string]: AnyJson
})
export type Event = (DisbursementSucceededEvent | DisbursementFailedEvent | DisbursementReversedEvent | DisbursementAwaitingApprovalEvent | DisbursementRejectedEvent | DisbursementCancelledEvent | DisbursementNeedsReviewEvent | DisbursementHeldEvent | MessageSentEvent | MessageFailedEvent | MessageUnknownEvent | MessageExpiredEvent | MessageSkippedEvent | CampaignFinishedEvent | CampaignAwaitingApprovalEvent | CampaignPausedEvent | CampaignCancelledEvent | CampaignHeldEvent | BatchAwaitingApprovalEvent | BatchFinishedEvent | BatchCancelledEvent | BatchNeedsReviewEvent | InvoiceCompletedEvent | InvoiceCancelledEvent | InvoiceFailedEvent | InvoiceNeedsReviewEvent | PaymentRequestCompletedEvent | PaymentRequestFailedEvent | PaymentRequestNeedsReviewEvent | PaymentRequestUntrackedEvent | DirectCreditSucceededEvent | DirectCreditRejectedEvent | DirectCreditFailedEvent | DirectCreditNeedsReviewEvent | AccountHeldEvent | AccountReleasedEvent | EndpointDisabledEvent | EndpointTestedEvent | IntakeRejectedEvent | SystemRecoveringEvent | SystemRecoveredEvent)
/**
 * As where it is read alone, and with its kind.
 */
export type Reviewed = (ReviewedBatch | {
  id: string
  /**
   * `succeeded failed reversed rejected cancelled` are final; only a late word of the service leads on from `succeeded`, `failed` and `cancelled`. `unknown` is neither success nor failure.
   */
  state: ("awaiting_approval" | "queued" | "held" | "created" | "submitting" | "unknown" | "pending" | "needs_review" | "succeeded" | "failed" | "reversed" | "rejected" | "cancelled")
  /**
   * Whole XOF.
   */
  amount: number
  accountAlias: string
  withdrawMode: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  /**
   * Our unique reference at the service.
   */
  disburseId: string
  /**
   * The service's name for it, once it has one.
   */
  token: (string | null)
  transactionId: (string | null)
  providerRef: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * It ended after we had given up on it, or otherwise than was told before.
   */
  late?: true
  /**
   * The batch that it is a row of.
   */
  batch?: string
  /**
   * The name of the key that approved it.
   */
  approvedBy?: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  createdAt: string
  updatedAt: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
  kind: "disbursement"
} | {
  id: string
  state: ("creating" | "pending" | "needs_review" | "completed" | "cancelled" | "failed")
  token: (string | null)
  /**
   * The page where the payer pays.
   */
  url: (string | null)
  /**
   * Whole XOF.
   */
  totalAmount: number
  /**
   * Whole XOF, once it was paid.
   */
  amountPaid: (number | null)
  receiptUrl: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said about it.
   */
  failure: (string | null)
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
  /**
   * Only when it is created: what may be a mistake.
   */
  warnings?: string[]
  kind: "invoice"
} | {
  id: string
  state: ("creating" | "pending" | "needs_review" | "completed" | "failed")
  referenceNumber: (string | null)
  url: (string | null)
  /**
   * Whole XOF.
   */
  amount: number
  feesPaidBy: ("customer" | "merchant")
  notify: boolean
  /**
   * false: nobody can ask how it ends.
   */
  tracked: boolean
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said about it.
   */
  failure: (string | null)
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
  kind: "payment_request"
} | {
  id: string
  state: ("queued" | "held" | "sending" | "needs_review" | "succeeded" | "rejected" | "failed")
  /**
   * Whole XOF.
   */
  amount: number
  accountAlias: string
  transactionId: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said.
   */
  failure: (string | null)
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
  kind: "direct_credit"
})
export type RecoveryWord = ({
  apply: true
} | {
  nothingWasLost: true
})

export interface Operations {
  /**
   * List disbursements
   */
  listDisbursements: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("awaiting_approval" | "queued" | "held" | "created" | "submitting" | "unknown" | "pending" | "needs_review" | "succeeded" | "failed" | "reversed" | "rejected" | "cancelled")[]
      /**
       * Only the operation with this reference.
       */
      reference?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * Minimum amount in XOF.
       */
      amountMin?: number
      /**
       * Maximum amount in XOF.
       */
      amountMax?: number
      /**
       * Only the operation with this provider token.
       */
      token?: string
      /**
       * Only the operation with this provider transaction id.
       */
      transactionId?: string
      /**
       * Only rows of this payment batch.
       */
      batch?: string
      /**
       * Only this phone number, in any spelling.
       */
      phone?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: DisbursementList
    accept: "text/csv"
  }
  /**
   * Create a disbursement
   */
  createDisbursement: {
    asked: {
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: DisbursementRequest
    lines: "application/x-ndjson"
    answer: Disbursement
    dry: DryRun
  }
  /**
   * Get a disbursement
   */
  getDisbursement: {
    asked: {
      id: string
    }
    answer: Disbursement
  }
  /**
   * Cancel a disbursement
   */
  cancelDisbursement: {
    asked: {
      id: string
    }
    answer: Disbursement
  }
  /**
   * Approve a disbursement
   */
  approveDisbursement: {
    asked: {
      id: string
    }
    answer: Disbursement
  }
  /**
   * Resolve a disbursement that needs review
   */
  resolveDisbursement: {
    asked: {
      id: string
    }
    body: DisbursementResolution
    answer: Disbursement
  }
  /**
   * List payment batches
   */
  listBatches: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("invalid" | "awaiting_approval" | "running" | "needs_review" | "finished" | "cancelled" | "expired")[]
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: BatchList
    accept: "text/csv"
  }
  /**
   * Upload a payment batch
   */
  createBatch: {
    asked: {
      /**
       * Where no row names one: `main`.
       */
      account?: string
      /**
       * The name of the file, which the approver sees.
       */
      name?: string
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    /**
     * An array of disbursements.
     */
    body: {}[]
    file: ("text/csv" | "application/x-ndjson" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.oasis.opendocument.spreadsheet" | "application/vnd.ms-excel")
    answer: Batch
    dry: BatchDryRun
    accept: "text/csv"
  }
  /**
   * Get a payment batch
   */
  getBatch: {
    asked: {
      id: string
    }
    answer: Batch
  }
  /**
   * Get a payment batch report
   */
  getBatchReport: {
    asked: {
      id: string
    }
    answer: BatchReport
    accept: "text/csv"
  }
  /**
   * Approve a payment batch
   */
  approveBatch: {
    asked: {
      id: string
    }
    body: BatchApproval
    answer: Batch
  }
  /**
   * Cancel a payment batch
   */
  cancelBatch: {
    asked: {
      id: string
    }
    answer: Batch
  }
  /**
   * List the rows of a payment batch
   */
  listBatchRows: {
    asked: {
      id: string
      /**
       * Only rows with this outcome.
       */
      outcome?: ("notPaid" | "uncertain" | "open" | "elsewhere" | "paid")
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: BatchRows
  }
  /**
   * List recent payments to the same payees
   */
  listRecentPayments: {
    asked: {
      id: string
    }
    answer: RecentPayments
  }
  /**
   * Retry the unpaid rows of a batch
   */
  retryBatch: {
    asked: {
      id: string
    }
    answer: Batch
  }
  /**
   * List campaigns
   */
  listCampaigns: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("draft" | "ready" | "awaiting_approval" | "scheduled" | "running" | "paused" | "held" | "finished" | "cancelled")[]
      /**
       * Only the operation with this reference.
       */
      reference?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: CampaignList
    accept: "text/csv"
  }
  /**
   * Create a campaign
   */
  createCampaign: {
    asked: {
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: CampaignRequest
    answer: Campaign
    dry: DryRun
  }
  /**
   * Get a campaign
   */
  getCampaign: {
    asked: {
      id: string
    }
    answer: Campaign
  }
  /**
   * Update a campaign
   */
  amendCampaign: {
    asked: {
      id: string
    }
    body: CampaignAmendment
    answer: Campaign
  }
  /**
   * Upload campaign recipients
   */
  addRecipients: {
    asked: {
      id: string
      /**
       * Judge everything, add nothing.
       */
      dryRun?: boolean
      /**
       * Show so many of the first texts.
       */
      preview?: number
      /**
       * Countries whose old numbers are renewed, of CI,BJ.
       */
      repair?: string
      /**
       * The column of the numbers, where its name does not tell.
       */
      phoneColumn?: string
      /**
       * Of a workbook; absent: the first that can be seen.
       */
      sheet?: string
      /**
       * Take the rows that the spreadsheet hides, too.
       */
      takeHidden?: boolean
      /**
       * Send doubtful values as they are, of no_value,damaged_value; without it these rows are skipped.
       */
      take?: string
    }
    file: ("text/csv" | "application/x-ndjson" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.oasis.opendocument.spreadsheet" | "application/vnd.ms-excel")
    answer: UploadReport
    accept: "text/csv"
  }
  /**
   * List campaign recipients
   */
  listRecipients: {
    asked: {
      id: string
      /**
       * Only recipients with this status.
       */
      state?: ("queued" | "held" | "sending" | "sent" | "failed" | "unknown" | "skipped" | "expired" | "cancelled")
      /**
       * Only this phone number, in any spelling.
       */
      phone?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: RecipientList
    accept: "text/csv"
  }
  /**
   * Store the recipient file of a draft
   */
  keepFile: {
    asked: {
      id: string
      /**
       * What its author calls it.
       */
      name?: string
    }
    file: ("text/csv" | "application/x-ndjson" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.oasis.opendocument.spreadsheet" | "application/vnd.ms-excel")
    answer: KeptFile
  }
  /**
   * Get the recipient file of a draft
   */
  getFile: {
    asked: {
      id: string
    }
    answer: KeptFile
  }
  /**
   * Check or add a stored recipient file
   */
  countFile: {
    asked: {
      id: string
      /**
       * Judge everything, add nothing.
       */
      dryRun?: boolean
      /**
       * Countries whose old numbers are renewed, of CI,BJ.
       */
      repair?: string
      /**
       * The column of the numbers, where its name does not tell.
       */
      phoneColumn?: string
      /**
       * Of a workbook; absent: the first that can be seen.
       */
      sheet?: string
      /**
       * Take the rows that the spreadsheet hides, too.
       */
      takeHidden?: boolean
      /**
       * Send doubtful values as they are, of no_value,damaged_value; without it these rows are skipped.
       */
      take?: string
      /**
       * Show the text of this row, too.
       */
      row?: number
      /**
       * Rows that are left out for these reasons are meant to be.
       */
      leaveOut?: string
      /**
       * Send the text as it is written, whatever looks doubtful in it.
       */
      asWritten?: boolean
      /**
       * `contentHash` of the report that was looked at. It is refused where that is another by now.
       */
      seenFile?: string
      /**
       * `contentHash` of the campaign that was looked at. It is refused where that is another by now.
       */
      seenCampaign?: string
    }
    answer: FileReport
    accept: "text/csv"
  }
  /**
   * Start a campaign
   */
  startCampaign: {
    asked: {
      id: string
    }
    answer: Campaign
  }
  /**
   * Pause a campaign
   */
  pauseCampaign: {
    asked: {
      id: string
    }
    answer: Campaign
  }
  /**
   * Resume a campaign
   */
  resumeCampaign: {
    asked: {
      id: string
    }
    answer: Campaign
  }
  /**
   * Cancel a campaign
   */
  cancelCampaign: {
    asked: {
      id: string
    }
    answer: Campaign
  }
  /**
   * Approve a campaign
   */
  approveCampaign: {
    asked: {
      id: string
    }
    body: CampaignApproval
    answer: Campaign
  }
  /**
   * Retry the failed recipients of a campaign
   */
  retryCampaign: {
    asked: {
      id: string
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: CampaignRetry
    answer: Campaign
  }
  /**
   * List messages
   */
  listMessages: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("queued" | "sending" | "unknown" | "sent" | "failed" | "skipped" | "expired" | "cancelled")[]
      /**
       * Only the operation with this reference.
       */
      reference?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * Only this phone number, in any spelling.
       */
      phone?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: MessageList
    accept: "text/csv"
  }
  /**
   * Send one or more SMS
   */
  sendMessages: {
    asked: {
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: MessageRequests
    lines: "application/x-ndjson"
    answer: MessageVerdicts
    dry: MessageVerdicts
  }
  /**
   * Get a message
   */
  getMessage: {
    asked: {
      id: string
    }
    answer: Message
  }
  /**
   * Add opt-outs
   */
  addOptOuts: {
    asked: {
      /**
       * Only of this sender; absent: of all.
       */
      from?: string
      /**
       * Name of the account.
       */
      account?: string
      /**
       * Country of the numbers that are written without one.
       */
      country?: string
    }
    body: OptOutRequest
    file: ("text/csv" | "application/x-ndjson" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.oasis.opendocument.spreadsheet" | "application/vnd.ms-excel")
    answer: OptOutsChanged
  }
  /**
   * Remove opt-outs
   */
  removeOptOuts: {
    asked: {
      /**
       * Only of this sender; absent: of all.
       */
      from?: string
      /**
       * Name of the account.
       */
      account?: string
      /**
       * Country of the numbers that are written without one.
       */
      country?: string
    }
    body: OptOutRequest
    file: ("text/csv" | "application/x-ndjson" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.oasis.opendocument.spreadsheet" | "application/vnd.ms-excel")
    answer: OptOutsChanged
  }
  /**
   * List opt-outs
   */
  listOptOuts: {
    asked: {
      /**
       * Only of this sender; absent: of all.
       */
      from?: string
      /**
       * Name of the account.
       */
      account?: string
      /**
       * Country of the numbers that are written without one.
       */
      country?: string
      /**
       * Answered with `optedOut`, without the list.
       */
      phone?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: OptOutList
  }
  /**
   * List invoices
   */
  listInvoices: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("creating" | "pending" | "needs_review" | "completed" | "cancelled" | "failed")[]
      /**
       * Only the operation with this reference.
       */
      reference?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * Minimum amount in XOF.
       */
      amountMin?: number
      /**
       * Maximum amount in XOF.
       */
      amountMax?: number
      /**
       * Only the operation with this provider token.
       */
      token?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: InvoiceList
    accept: "text/csv"
  }
  /**
   * Create an invoice
   */
  createInvoice: {
    asked: {
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: InvoiceRequest
    answer: Invoice
    dry: DryRun
  }
  /**
   * Get an invoice
   */
  getInvoice: {
    asked: {
      id: string
    }
    answer: Invoice
  }
  /**
   * Check an invoice with the provider
   */
  confirmInvoice: {
    asked: {
      id: string
    }
    answer: Invoice
  }
  /**
   * Resolve an invoice that needs review
   */
  resolveInvoice: {
    asked: {
      id: string
    }
    body: InvoiceResolution
    answer: Invoice
  }
  /**
   * Start a direct payment of an invoice
   */
  startSoftpay: {
    asked: {
      id: string
    }
    body: SoftpayRequest
    answer: SoftpayStarted
  }
  /**
   * Confirm a direct payment of an invoice
   */
  confirmSoftpay: {
    asked: {
      id: string
    }
    body: SoftpayConfirmation
    answer: SoftpayStarted
  }
  /**
   * List payment requests
   */
  listPaymentRequests: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("creating" | "pending" | "needs_review" | "completed" | "failed")[]
      /**
       * Only the operation with this reference.
       */
      reference?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * Minimum amount in XOF.
       */
      amountMin?: number
      /**
       * Maximum amount in XOF.
       */
      amountMax?: number
      /**
       * Only this phone number, in any spelling.
       */
      phone?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: PaymentRequestList
    accept: "text/csv"
  }
  /**
   * Create a payment request
   */
  createPaymentRequest: {
    asked: {
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: PaymentRequestRequest
    answer: PaymentRequest
    dry: DryRun
  }
  /**
   * Get a payment request
   */
  getPaymentRequest: {
    asked: {
      id: string
    }
    answer: PaymentRequest
  }
  /**
   * Check a payment request with the provider
   */
  confirmPaymentRequest: {
    asked: {
      id: string
    }
    answer: PaymentRequest
  }
  /**
   * Resolve a payment request that needs review
   */
  resolvePaymentRequest: {
    asked: {
      id: string
    }
    body: PaymentRequestResolution
    answer: PaymentRequest
  }
  /**
   * List direct credits
   */
  listDirectCredits: {
    asked: {
      /**
       * Only these states, separated by commas.
       */
      state?: ("queued" | "held" | "sending" | "needs_review" | "succeeded" | "rejected" | "failed")[]
      /**
       * Only the operation with this reference.
       */
      reference?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * Created at this time or later.
       */
      createdFrom?: string
      /**
       * Created at this time or before.
       */
      createdTo?: string
      /**
       * Minimum amount in XOF.
       */
      amountMin?: number
      /**
       * Maximum amount in XOF.
       */
      amountMax?: number
      /**
       * Only the operation with this provider transaction id.
       */
      transactionId?: string
      /**
       * Only this phone number, in any spelling.
       */
      phone?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: DirectCreditList
    accept: "text/csv"
  }
  /**
   * Create a direct credit
   */
  createDirectCredit: {
    asked: {
      /**
       * Names the request, as a `reference` does.
       */
      idempotencyKey?: string
    }
    body: DirectCreditRequest
    answer: DirectCredit
    dry: DryRun
  }
  /**
   * Get a direct credit
   */
  getDirectCredit: {
    asked: {
      id: string
    }
    answer: DirectCredit
  }
  /**
   * Resolve a direct credit that needs review
   */
  resolveDirectCredit: {
    asked: {
      id: string
    }
    body: DirectCreditResolution
    answer: DirectCredit
  }
  /**
   * Read events
   */
  readEvents: {
    asked: {
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
      /**
       * Separated by commas, of disbursement.succeeded, disbursement.failed, disbursement.reversed, disbursement.awaiting_approval, disbursement.rejected, disbursement.cancelled, disbursement.needs_review, disbursement.held, message.sent, message.failed, message.unknown, message.expired, message.skipped, campaign.finished, campaign.awaiting_approval, campaign.paused, campaign.cancelled, campaign.held, batch.awaiting_approval, batch.finished, batch.cancelled, batch.needs_review, invoice.completed, invoice.cancelled, invoice.failed, invoice.needs_review, payment_request.completed, payment_request.failed, payment_request.needs_review, payment_request.untracked, direct_credit.succeeded, direct_credit.rejected, direct_credit.failed, direct_credit.needs_review, account.held, account.released, endpoint.disabled, endpoint.tested, intake.rejected, system.recovering, system.recovered.
       */
      types?: string
    }
    answer: EventPage
  }
  /**
   * Stream events
   */
  followEvents: {
    asked: {
      /**
       * Separated by commas, of disbursement.succeeded, disbursement.failed, disbursement.reversed, disbursement.awaiting_approval, disbursement.rejected, disbursement.cancelled, disbursement.needs_review, disbursement.held, message.sent, message.failed, message.unknown, message.expired, message.skipped, campaign.finished, campaign.awaiting_approval, campaign.paused, campaign.cancelled, campaign.held, batch.awaiting_approval, batch.finished, batch.cancelled, batch.needs_review, invoice.completed, invoice.cancelled, invoice.failed, invoice.needs_review, payment_request.completed, payment_request.failed, payment_request.needs_review, payment_request.untracked, direct_credit.succeeded, direct_credit.rejected, direct_credit.failed, direct_credit.needs_review, account.held, account.released, endpoint.disabled, endpoint.tested, intake.rejected, system.recovering, system.recovered.
       */
      types?: string
    }
    answer: Response
  }
  /**
   * Register a webhook endpoint
   */
  createEventEndpoint: {
    asked: {}
    body: EndpointRegistration
    answer: EventEndpointWithSecret
  }
  /**
   * List webhook endpoints
   */
  listEventEndpoints: {
    asked: {}
    answer: EventEndpointList
  }
  /**
   * Get a webhook endpoint
   */
  getEventEndpoint: {
    asked: {
      id: string
    }
    answer: EventEndpointDetail
  }
  /**
   * Delete a webhook endpoint
   */
  deleteEventEndpoint: {
    asked: {
      id: string
    }
    answer: undefined
  }
  /**
   * Replay events to a webhook endpoint
   */
  replayEvents: {
    asked: {
      id: string
    }
    body: ReplayOrder
    answer: Replayed
  }
  /**
   * Test a webhook endpoint
   */
  testEventEndpoint: {
    asked: {
      id: string
    }
    answer: EndpointTested
  }
  /**
   * Rotate the secret of a webhook endpoint
   */
  rotateEndpointSecret: {
    asked: {
      id: string
    }
    answer: EventEndpointWithSecret
  }
  /**
   * List operations that need review
   */
  listReview: {
    asked: {
      /**
       * Only this account.
       */
      account?: string
      /**
       * `next` of the previous page, or the id of an operation in the list.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
      /**
       * Only operations of this kind.
       */
      kind?: ("disbursement" | "batch" | "invoice" | "payment_request" | "direct_credit")
    }
    answer: ReviewList
  }
  /**
   * Resolve many disbursements that need review
   */
  resolveSelection: {
    asked: {}
    body: SelectionResolution
    answer: Selection
    accept: "application/x-ndjson"
  }
  /**
   * Search operations by identifier or phone number
   */
  search: {
    asked: {
      /**
       * An id, reference, disburseId, token, transactionId, reference of the provider, or a telephone number, however it is spelt.
       */
      q?: string
    }
    answer: Found
  }
  /**
   * Find campaigns by phone number
   */
  listTexted: {
    asked: {
      /**
       * The phone number, in any spelling.
       */
      phone?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: TextedList
  }
  /**
   * Explain an operation or a reason
   */
  explain: {
    asked: {
      id: string
    }
    answer: Explanation
  }
  /**
   * Get the last callback for an operation
   */
  getCallback: {
    asked: {
      id: string
    }
    answer: Callback
  }
  /**
   * Sign in with an API key
   */
  createSession: {
    asked: {}
    body: SessionRequest
    answer: Session
  }
  /**
   * Get the current session
   */
  readSession: {
    asked: {}
    answer: Session
  }
  /**
   * Sign out of the session
   */
  endSession: {
    asked: {}
    answer: undefined
  }
  /**
   * Confirm the API key of a session
   */
  confirmSession: {
    asked: {}
    body: SessionRequest
    answer: Session
  }
  /**
   * Get the identity provider
   */
  readProvider: {
    asked: {}
    answer: IdentityProvider
  }
  /**
   * Start sign-in with the identity provider
   */
  beginSignIn: {
    asked: {}
    body: ProviderSignInRequest
    answer: ProviderSignIn
  }
  /**
   * Finish sign-in with the identity provider
   */
  finishSignIn: {
    asked: {
      /**
       * What the provider gives for a person.
       */
      code?: string
      /**
       * As it was sent.
       */
      state?: string
      /**
       * Which provider says so.
       */
      iss?: string
      /**
       * Why there is no code.
       */
      error?: string
    }
    answer: Response
  }
  /**
   * Report a resource that a browser blocked
   */
  reportViolation: {
    asked: {}
    body: ViolationReport
    file: ("application/csp-report" | "application/reports+json")
    answer: undefined
  }
  /**
   * Get the deployment status
   */
  getStatus: {
    asked: {}
    answer: Status
  }
  /**
   * Diagnose the deployment
   */
  examineDeployment: {
    asked: {}
    answer: Findings
  }
  /**
   * List queues
   */
  listQueues: {
    asked: {}
    answer: QueueList
  }
  /**
   * Pause a queue
   */
  pauseQueue: {
    asked: {
      name: string
    }
    answer: QueueList
  }
  /**
   * Resume a queue
   */
  resumeQueue: {
    asked: {
      name: string
    }
    answer: QueueList
  }
  /**
   * List refused intake jobs
   */
  listIntake: {
    asked: {
      /**
       * The state of the jobs. Only refused jobs are listed.
       */
      state?: "rejected"
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: IntakeList
  }
  /**
   * List accounts and their holds
   */
  listAccounts: {
    asked: {}
    answer: AccountList
  }
  /**
   * Stop the disbursements of an account
   */
  stopAccount: {
    asked: {
      name: string
    }
    answer: Account
  }
  /**
   * Release all holds of an account
   */
  releaseAccount: {
    asked: {
      name: string
    }
    answer: Account
  }
  /**
   * List payment limits
   */
  listLimits: {
    asked: {}
    answer: LimitList
  }
  /**
   * List SMS budgets and their use
   */
  listBudgets: {
    asked: {
      /**
       * Account at the provider. Default: `main`.
       */
      account?: string
    }
    answer: BudgetList
  }
  /**
   * Set a payment limit
   */
  setLimit: {
    asked: {
      name: string
    }
    body: LimitWish
    answer: Limit
  }
  /**
   * Re-encrypt stored secrets with the newest key
   */
  rotateSecrets: {
    asked: {}
    answer: Resealed
  }
  /**
   * Create an API key
   */
  createKey: {
    asked: {}
    body: ApiKeyRequest
    answer: ApiKeyWithSecret
  }
  /**
   * List API keys
   */
  listKeys: {
    asked: {}
    answer: ApiKeyList
  }
  /**
   * Revoke an API key
   */
  revokeKey: {
    asked: {
      id: string
    }
    answer: undefined
  }
  /**
   * List audit log entries
   */
  listAudit: {
    asked: {
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: AuditPage
  }
  /**
   * Verify the audit log
   */
  verifyAudit: {
    asked: {}
    answer: AuditVerdict
  }
  /**
   * Erase personal data
   */
  purgePerson: {
    asked: {}
    body: PurgeRequest
    answer: Purged
  }
  /**
   * Get the recovery status
   */
  getRecovery: {
    asked: {
      /**
       * Ask the service about so many of each kind; it takes as long as that. Absent: it is not asked.
       */
      ask?: number
    }
    answer: Recovery
  }
  /**
   * Recover after a possible data loss
   */
  recover: {
    asked: {}
    body: RecoveryWord
    answer: Recovery
  }
  /**
   * List provider balances by country
   */
  getBalances: {
    asked: {
      /**
       * Name of the account.
       */
      account?: string
    }
    answer: Balances
  }
  /**
   * Get a provider account balance
   */
  getBalance: {
    asked: {
      accountNumber: string
      /**
       * Name of the account.
       */
      account?: string
    }
    answer: Balances
  }
  /**
   * Get the daily report
   */
  getDailyReport: {
    asked: {
      /**
       * The day, such as 2026-11-22. Default: today.
       */
      date?: string
      /**
       * Only this account.
       */
      account?: string
    }
    answer: DailyReport
    accept: ("text/csv" | "text/html")
  }
  /**
   * List recorded balances
   */
  getBalancesSeen: {
    asked: {
      /**
       * Recorded at this time or later.
       */
      from?: string
      /**
       * Recorded at this time or before.
       */
      to?: string
      /**
       * Only this account.
       */
      account?: string
      /**
       * `next` of the previous page.
       */
      after?: string
      /**
       * Maximum number of results.
       */
      limit?: number
    }
    answer: BalancesSeen
    accept: "text/csv"
  }
  /**
   * Get the OpenAPI document
   */
  getOpenApi: {
    asked: {}
    answer: JsonDocument
  }
  /**
   * Get the API documentation page
   */
  getDocs: {
    asked: {}
    answer: Response
  }
  /**
   * Get the schema of the intake queue
   */
  getIntakeSchema: {
    asked: {}
    answer: JsonDocument
  }
  /**
   * Explain a problem type
   */
  getProblemKind: {
    asked: {
      kind: string
    }
    answer: ProblemKind
  }
}
export interface DisbursementList {
  items: DisbursementRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface DisbursementRow {
  id: string
  /**
   * `succeeded failed reversed rejected cancelled` are final; only a late word of the service leads on from `succeeded`, `failed` and `cancelled`. `unknown` is neither success nor failure.
   */
  state: ("awaiting_approval" | "queued" | "held" | "created" | "submitting" | "unknown" | "pending" | "needs_review" | "succeeded" | "failed" | "reversed" | "rejected" | "cancelled")
  /**
   * Whole XOF.
   */
  amount: number
  accountAlias: string
  withdrawMode: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  /**
   * Our unique reference at the service.
   */
  disburseId: string
  /**
   * The service's name for it, once it has one.
   */
  token: (string | null)
  transactionId: (string | null)
  providerRef: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * It ended after we had given up on it, or otherwise than was told before.
   */
  late?: true
  /**
   * The batch that it is a row of.
   */
  batch?: string
  /**
   * The name of the key that approved it.
   */
  approvedBy?: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  createdAt: string
  updatedAt: string
}
export interface DisbursementRequest {
  /**
   * Phone number of the beneficiary without country code, or the provider account id for `service`.
   */
  accountAlias: string
  /**
   * Amount in whole francs (XOF).
   */
  amount: number
  /**
   * Payment channel.
   */
  withdrawMode: string
  /**
   * Account to debit, only with `service`.
   */
  debitAccountNumber?: string
  /**
   * Account at the provider. Default: `main`.
   */
  account?: string
  /**
   * Your own reference: the same reference never creates a second operation.
   */
  reference?: string
  /**
   * Earliest time of the payment.
   */
  notBefore?: string
  /**
   * Allow the same amount to the same beneficiary within DUPLICATE_WINDOW.
   */
  allowDuplicate?: boolean
  /**
   * Allow a phone number with an unusual length for the country of the withdraw mode.
   */
  allowUnusualNumber?: boolean
}
export interface Disbursement {
  id: string
  /**
   * `succeeded failed reversed rejected cancelled` are final; only a late word of the service leads on from `succeeded`, `failed` and `cancelled`. `unknown` is neither success nor failure.
   */
  state: ("awaiting_approval" | "queued" | "held" | "created" | "submitting" | "unknown" | "pending" | "needs_review" | "succeeded" | "failed" | "reversed" | "rejected" | "cancelled")
  /**
   * Whole XOF.
   */
  amount: number
  accountAlias: string
  withdrawMode: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  /**
   * Our unique reference at the service.
   */
  disburseId: string
  /**
   * The service's name for it, once it has one.
   */
  token: (string | null)
  transactionId: (string | null)
  providerRef: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * It ended after we had given up on it, or otherwise than was told before.
   */
  late?: true
  /**
   * The batch that it is a row of.
   */
  batch?: string
  /**
   * The name of the key that approved it.
   */
  approvedBy?: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  createdAt: string
  updatedAt: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
}
export interface DryRun {
  dryRun: true
  /**
   * `duplicate`: it was accepted before.
   */
  outcome: ("valid" | "duplicate")
  /**
   * The id that it has, or would have.
   */
  id: string
  /**
   * The state that it is in, or would begin in.
   */
  state: string
  /**
   * What looks wrong, and is no reason to refuse.
   */
  warnings: string[]
}
export interface DisbursementResolution {
  /**
   * The final state, or the next action.
   */
  outcome: ("succeeded" | "failed" | "reversed" | "cancelled" | "resubmit")
  /**
   * The evidence for the outcome; stored with the record.
   */
  note: string
  /**
   * With `succeeded`: the transaction id of the provider, used by `relais reconcile`.
   */
  transactionId?: string
}
export interface BatchList {
  items: BatchRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface BatchRow {
  id: string
  state: ("invalid" | "awaiting_approval" | "running" | "needs_review" | "finished" | "cancelled" | "expired")
  /**
   * Name of the account.
   */
  account: string
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * SHA-256 of the bytes as they came: what is approved is exactly this.
   */
  contentHash: string
  /**
   * The name of the file, as it was uploaded.
   */
  fileName?: string
  /**
   * The batch whose unpaid rows it pays again.
   */
  retryOf?: string
  totals: {
    count: number
    /**
     * Whole XOF.
     */
    xof: number
    countries: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    modes: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
  }
  problemCount: number
  warningCount: number
  uploadedBy: string
  approvedBy: (string | null)
  approvedAt: (string | null)
  createdAt: string
  updatedAt: string
  outcome: ({
    notPaid: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    uncertain: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    open: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    elsewhere: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    paid: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
  } | null)
}
export interface Batch {
  id: string
  state: ("invalid" | "awaiting_approval" | "running" | "needs_review" | "finished" | "cancelled" | "expired")
  /**
   * Name of the account.
   */
  account: string
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * SHA-256 of the bytes as they came: what is approved is exactly this.
   */
  contentHash: string
  /**
   * The name of the file, as it was uploaded.
   */
  fileName?: string
  /**
   * The batch whose unpaid rows it pays again.
   */
  retryOf?: string
  totals: {
    count: number
    /**
     * Whole XOF.
     */
    xof: number
    countries: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    modes: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
  }
  /**
   * What is wrong, the first hundred; one is enough to refuse all.
   */
  problems: {
    /**
     * As a spreadsheet numbers it; null: the file as a whole.
     */
    row: (number | null)
    column: (string | null)
    reason: string
  }[]
  problemCount: number
  warnings: {
    /**
     * As a spreadsheet numbers it; null: the file as a whole.
     */
    row: (number | null)
    column: (string | null)
    reason: string
  }[]
  warningCount: number
  uploadedBy: string
  approvedBy: (string | null)
  approvedAt: (string | null)
  expiresAt: (string | null)
  createdAt: string
  updatedAt: string
  /**
   * Its rows by what became of them.
   */
  states: {
    [k: string]: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
  }
  outcome: ({
    notPaid: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    uncertain: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    open: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    elsewhere: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    paid: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
  } | null)
}
export interface BatchDryRun {
  state: ("invalid" | "awaiting_approval" | "running" | "needs_review" | "finished" | "cancelled" | "expired")
  /**
   * Name of the account.
   */
  account: string
  /**
   * SHA-256 of the bytes as they came: what is approved is exactly this.
   */
  contentHash: string
  totals: {
    count: number
    /**
     * Whole XOF.
     */
    xof: number
    countries: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    modes: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
  }
  /**
   * What is wrong, the first hundred; one is enough to refuse all.
   */
  problems: {
    /**
     * As a spreadsheet numbers it; null: the file as a whole.
     */
    row: (number | null)
    column: (string | null)
    reason: string
  }[]
  problemCount: number
  warnings: {
    /**
     * As a spreadsheet numbers it; null: the file as a whole.
     */
    row: (number | null)
    column: (string | null)
    reason: string
  }[]
  warningCount: number
  dryRun: true
}
export interface BatchReport {
  id: string
  state: ("invalid" | "awaiting_approval" | "running" | "needs_review" | "finished" | "cancelled" | "expired")
  /**
   * SHA-256 of the bytes as they came: what is approved is exactly this.
   */
  contentHash: string
  totals: {
    count: number
    /**
     * Whole XOF.
     */
    xof: number
    countries: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    modes: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
  }
  /**
   * Headings of the columns that are not read.
   */
  columns: string[]
  items: {
    row: number
    reference: string
    id: (string | null)
    state: string
    /**
     * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
     */
    reason: (string | null)
    /**
     * Whole XOF.
     */
    amount: number
    accountAlias: string
    withdrawMode: string
    disburseId: (string | null)
    token: (string | null)
    transactionId: (string | null)
    providerRef: (string | null)
    /**
     * What its row had in columns that are not read, by heading.
     */
    own?: {
      [k: string]: string
    }
  }[]
  states: {
    [k: string]: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
  }
}
export interface BatchApproval {
  contentHash: string
}
export interface BatchRows {
  /**
   * Headings of the columns that relais does not read.
   */
  columns: string[]
  items: {
    row: number
    reference: string
    id: (string | null)
    state: string
    /**
     * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
     */
    reason: (string | null)
    /**
     * Whole XOF.
     */
    amount: number
    accountAlias: string
    withdrawMode: string
    disburseId: (string | null)
    token: (string | null)
    transactionId: (string | null)
    providerRef: (string | null)
    /**
     * What its row had in columns that are not read, by heading.
     */
    own?: {
      [k: string]: string
    }
  }[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface RecentPayments {
  from: string
  /**
   * Rows with such payments.
   */
  people: number
  count: number
  xof: number
  items: {
    row: number
    count: number
    xof: number
    /**
     * The newest of them.
     */
    last: {
      id: string
      amount: number
      state: ("awaiting_approval" | "queued" | "held" | "created" | "submitting" | "unknown" | "pending" | "needs_review" | "succeeded" | "failed" | "reversed" | "rejected" | "cancelled")
      createdAt: string
    }
  }[]
}
export interface CampaignList {
  items: CampaignRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface CampaignRow {
  id: string
  name: string
  state: ("draft" | "ready" | "awaiting_approval" | "scheduled" | "running" | "paused" | "held" | "finished" | "cancelled")
  /**
   * Name of the account.
   */
  account: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * `total` is all of them, and the others add up to it, always.
   */
  totals: {
    total: number
    queued: number
    held: number
    sending: number
    sent: number
    failed: number
    unknown: number
    skipped: number
    expired: number
    cancelled: number
  }
  /**
   * How many people get the SMS: `total` without `skipped`. An approval is for this number.
   */
  recipients: number
  /**
   * How often somebody was sent to again after a doubt: duplicates.
   */
  resent?: number
  /**
   * How often those who failed went out again.
   */
  retries?: number
  countries: {
    [k: string]: {
      recipients: number
      sent: number
      failed: number
      unknown: number
    }
  }
  /**
   * An estimate: the service shows neither segments nor encoding.
   */
  segments: number
  /**
   * XOF, estimated when it was uploaded; absent where not all of it was priced.
   */
  cost?: {
    estimated: true
    xof: number
    /**
     * Countries without a price: what they cost is not in it.
     */
    unpriced: string[]
  }
  /**
   * Recipients per second since the start.
   */
  rate: number
  /**
   * When the rest would be done at that rate.
   */
  eta: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * While its account is held: when it is tried again whether that has cleared.
   */
  heldUntil?: (string | null)
  /**
   * Recipients per second, at most; null: no limit.
   */
  perSecond: (number | null)
  /**
   * When it begins by itself, once started.
   */
  sendAt: (string | null)
  /**
   * true: the hours of QUIET_HOURS. false: it sends at any hour.
   */
  quietHours: (boolean | string)
  /**
   * Quiet hours by name, and the clock of the recipients. Not in lists.
   */
  quiet?: {
    /**
     * Its own hours, or QUIET_HOURS; null: it sends at any hour.
     */
    hours: (string | null)
    /**
     * QUIET_HOURS.
     */
    usual: (string | null)
    timezone: string
    /**
     * The time of day in this zone.
     */
    clock: string
    /**
     * The end of the quiet hours of this moment; null by day, and before `sendAt`.
     */
    night: ({
      until: string
      clock: string
    } | null)
  }
  /**
   * While the canary is alone: its recipients, and when the rest follows if it arrives. `eta` is null until then. Not in lists.
   */
  canaryWait?: ({
    recipients: number
    restAt: (string | null)
  } | null)
  timezone?: string
  /**
   * How many recipients go first, alone.
   */
  canary?: number
  requireSender?: boolean
  pauseOnFailure?: (false | number)
  /**
   * SHA-256 of text, recipients, sender and times: what is approved is exactly this.
   */
  contentHash: string
  /**
   * Keys that made, filled, changed or started it: none approves it.
   */
  askedBy: string[]
  approvedBy: (string | null)
  approvedAt: (string | null)
  createdAt: string
  text: string
  /**
   * Absent: the sender of the account.
   */
  from?: string
}
export interface CampaignRequest {
  name: string
  /**
   * Words in {{braces}} are filled in from the columns of the recipients. Absent: a draft, which takes no recipients before it has one (PATCH).
   */
  text?: string
  /**
   * Your own reference: the same reference never creates a second operation.
   */
  reference?: string
  from?: string
  /**
   * Account at the provider. Default: `main`.
   */
  account?: string
  /**
   * Country of the numbers that are written without one.
   */
  country?: string
  /**
   * Recipients who may have been sent to or not: `hold` leaves them unknown, `resend` sends again (up to 3 times).
   */
  onUnknown?: ("hold" | "resend")
  /**
   * Characters that make texts dear (ê ç œ ’ « ») become look-alikes (e c oe).
   */
  replaceCostly?: boolean
  /**
   * Hours without sending, such as `21:00-08:00`. Absent or true: QUIET_HOURS. `off` or false: none, it sends at night too.
   */
  quietHours?: (boolean | "off" | string)
  /**
   * Whose clock the quiet hours are read on.
   */
  timezone?: string
  /**
   * Percent of failures and doubt among the last 200 or more at which it stops itself; false: never.
   */
  pauseOnFailure?: (false | number)
  /**
   * Recipients per second, at most.
   */
  perSecond?: number
  /**
   * Once started, it begins by itself at this time.
   */
  sendAt?: string
  /**
   * How many recipients go first, alone; true: 50. Above 1,000 recipients they do, unless false.
   */
  canary?: (boolean | number)
  /**
   * Stops as soon as a text went out under another sender than was asked.
   */
  requireSender?: boolean
}
export interface Campaign {
  id: string
  name: string
  state: ("draft" | "ready" | "awaiting_approval" | "scheduled" | "running" | "paused" | "held" | "finished" | "cancelled")
  /**
   * Name of the account.
   */
  account: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * `total` is all of them, and the others add up to it, always.
   */
  totals: {
    total: number
    queued: number
    held: number
    sending: number
    sent: number
    failed: number
    unknown: number
    skipped: number
    expired: number
    cancelled: number
  }
  /**
   * How many people get the SMS: `total` without `skipped`. An approval is for this number.
   */
  recipients: number
  /**
   * How often somebody was sent to again after a doubt: duplicates.
   */
  resent?: number
  /**
   * How often those who failed went out again.
   */
  retries?: number
  countries: {
    [k: string]: {
      recipients: number
      sent: number
      failed: number
      unknown: number
    }
  }
  /**
   * An estimate: the service shows neither segments nor encoding.
   */
  segments: number
  /**
   * XOF, estimated when it was uploaded; absent where not all of it was priced.
   */
  cost?: {
    estimated: true
    xof: number
    /**
     * Countries without a price: what they cost is not in it.
     */
    unpriced: string[]
  }
  /**
   * Recipients per second since the start.
   */
  rate: number
  /**
   * When the rest would be done at that rate.
   */
  eta: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * While its account is held: when it is tried again whether that has cleared.
   */
  heldUntil?: (string | null)
  /**
   * Recipients per second, at most; null: no limit.
   */
  perSecond: (number | null)
  /**
   * When it begins by itself, once started.
   */
  sendAt: (string | null)
  /**
   * true: the hours of QUIET_HOURS. false: it sends at any hour.
   */
  quietHours: (boolean | string)
  /**
   * Quiet hours by name, and the clock of the recipients. Not in lists.
   */
  quiet?: {
    /**
     * Its own hours, or QUIET_HOURS; null: it sends at any hour.
     */
    hours: (string | null)
    /**
     * QUIET_HOURS.
     */
    usual: (string | null)
    timezone: string
    /**
     * The time of day in this zone.
     */
    clock: string
    /**
     * The end of the quiet hours of this moment; null by day, and before `sendAt`.
     */
    night: ({
      until: string
      clock: string
    } | null)
  }
  /**
   * While the canary is alone: its recipients, and when the rest follows if it arrives. `eta` is null until then. Not in lists.
   */
  canaryWait?: ({
    recipients: number
    restAt: (string | null)
  } | null)
  timezone?: string
  /**
   * How many recipients go first, alone.
   */
  canary?: number
  requireSender?: boolean
  pauseOnFailure?: (false | number)
  /**
   * SHA-256 of text, recipients, sender and times: what is approved is exactly this.
   */
  contentHash: string
  /**
   * Keys that made, filled, changed or started it: none approves it.
   */
  askedBy: string[]
  approvedBy: (string | null)
  approvedAt: (string | null)
  createdAt: string
  text: string
  /**
   * Absent: the sender of the account.
   */
  from?: string
}
export interface CampaignAmendment {
  /**
   * Hours without sending, such as `21:00-08:00`. Absent or true: QUIET_HOURS. `off` or false: none, it sends at night too.
   */
  quietHours?: (boolean | "off" | string)
  /**
   * Whose clock the quiet hours are read on.
   */
  timezone?: string
  /**
   * Percent of failures and doubt among the last 200 or more at which it stops itself; false: never.
   */
  pauseOnFailure?: (false | number)
  perSecond?: (number | null)
  name?: string
  text?: string
  from?: (string | null)
  country?: (string | null)
  replaceCostly?: boolean
  sendAt?: (string | null)
}
export interface UploadReport {
  /**
   * true: these bytes were uploaded before.
   */
  replayed: boolean
  total: number
  recipients: number
  skipped: number
  blank?: number
  /**
   * Why rows are left out, with examples.
   */
  reasons?: {
    [k: string]: {
      count: number
    }
  }
  countries?: {
    [k: string]: {}
  }
  /**
   * Old numbers that were renewed.
   */
  repaired?: {}
  /**
   * Counted by our own reading of the rules: an estimate.
   */
  segments?: {
    estimated: true
    total: number
    textsBySegments: {
      [k: string]: number
    }
    /**
     * Texts that are unusually long.
     */
    long: number
    /**
     * Characters that make texts dear, and what would not.
     */
    costly: {}
  }
  cost?: {}
  /**
   * `csv`, `ndjson`, `xlsx` or `ods`.
   */
  format?: string
  /**
   * Of a text; a workbook has none.
   */
  encoding?: string
  delimiter?: string
  bytes?: number
  contentHash?: string
  columns?: string[]
  /**
   * Rows above the header.
   */
  titleRows?: number
  sheet?: string
  /**
   * Not read.
   */
  otherSheets?: string[]
  /**
   * Cells over several rows; only the first has the value.
   */
  merged?: number
  /**
   * Rows with more beside the number than reports give back (1,000 characters).
   */
  truncatedRows?: number
  /**
   * How long the link of `{{stop}}` is; it is counted in segments.
   */
  stopLink?: {
    characters: number
    assumed: boolean
  }
  /**
   * Parts of the text that a phone would probably not show as they are meant.
   */
  probablyMeant?: {
    reason: string
    written: string
    /**
     * Absent where letters are lost.
     */
    meant?: string
  }[]
}
export interface RecipientList {
  items: {
    to: string
    /**
     * As a spreadsheet numbers it.
     */
    row: number
    state: ("queued" | "sending" | "sent" | "failed" | "unknown" | "skipped" | "expired" | "cancelled")
    code?: string
    /**
     * Why it was skipped.
     */
    reason?: string
    /**
     * The request that it went with.
     */
    chunk?: string
    sentAt?: string
    segments?: number
    /**
     * How often it was sent again after a doubt.
     */
    resent?: number
    /**
     * What else its row of the file had, by heading.
     */
    own?: {
      [k: string]: string
    }
  }[]
  /**
   * Headings of the files; one that is taken gets a number, as in `Ville (2)`.
   */
  columns: string[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface KeptFile {
  name: (string | null)
  bytes: (number | null)
  keptAt: (string | null)
  /**
   * Then it is forgotten.
   */
  until: (string | null)
  /**
   * That the campaign gives to numbers without one.
   */
  country: (string | null)
  /**
   * What the campaign says of it.
   */
  replaceCostly: boolean
  /**
   * How the file was read at its last check.
   */
  options: ({
    repair: string[]
    phoneColumn?: string
    sheet?: string
    takeHidden: boolean
    take?: string[]
    leaveOut: string[]
    asWritten: boolean
  } | null)
  /**
   * What that said.
   */
  report: (FileReport | null)
}
export interface FileReport {
  /**
   * true: these bytes were uploaded before.
   */
  replayed: boolean
  total: number
  recipients: number
  skipped: number
  blank?: number
  reasons?: {
    [k: string]: {
      count: number
      examples: {
        row: number
        to: string
        column?: string
        detail?: {
          code: string
          values: {
            [k: string]: (string | number)
          }
        }
      }[]
    }
  }
  countries?: {
    [k: string]: {
      recipients: number
      segments: number
      estimatedXof?: number
    }
  }
  repaired?: {
    count: number
    examples: {
      row: number
      before: string
      after: string
    }[]
  }
  segments?: {
    estimated: true
    total: number
    textsBySegments: {
      [k: string]: number
    }
    long: number
    costly: {
      texts: number
      characters: {
        character: string
        codePoint: string
        replacement?: string
        texts: number
        inTemplate: boolean
      }[]
      segmentsSaved: number
      estimatedXofSaved?: number
    }
  }
  cost?: {
    xof: number
    unpriced: string[]
  }
  /**
   * `csv`, `ndjson`, `xlsx` or `ods`.
   */
  format?: string
  /**
   * Of a text; a workbook has none.
   */
  encoding?: string
  delimiter?: string
  bytes?: number
  contentHash?: string
  columns?: string[]
  /**
   * Rows above the header.
   */
  titleRows?: number
  sheet?: string
  /**
   * Not read.
   */
  otherSheets?: string[]
  /**
   * Cells over several rows; only the first has the value.
   */
  merged?: number
  /**
   * Rows with more beside the number than reports give back (1,000 characters).
   */
  truncatedRows?: number
  /**
   * How long the link of `{{stop}}` is; it is counted in segments.
   */
  stopLink?: {
    characters: number
    assumed: boolean
  }
  /**
   * Parts of the text that a phone would probably not show as they are meant.
   */
  probablyMeant?: {
    reason: string
    written: string
    /**
     * Absent where letters are lost.
     */
    meant?: string
  }[]
  dryRun?: boolean
  /**
   * With `dryRun`.
   */
  preview?: {
    why: ("first" | "longest" | "dearest" | "asked")[]
    row: number
    to: string
    text: string
    characters: number
    encoding: ("GSM-7" | "UCS-2")
    segments: number
    estimatedXof?: number
    /**
     * The row, by the columns of the file.
     */
    values?: {
      [k: string]: string
    }
  }[]
  /**
   * What is still to be decided, by `leaveOut`, `repair`, `takeHidden`, `take`, `asWritten` or the country.
   */
  decisions: {
    reason: string
    rows: number
    meant?: {
      written: string
      /**
       * Absent where letters are lost.
       */
      meant?: string
    }[]
  }[]
}
export interface CampaignApproval {
  contentHash: string
}
export interface CampaignRetry {
  /**
   * Those who are `unknown` too. They may have got it, and then get it twice.
   */
  includeUnknown?: boolean
}
export interface MessageList {
  items: MessageRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface MessageRow {
  id: string
  /**
   * `sent`: the service took it for sending.
   */
  state: ("queued" | "sending" | "unknown" | "sent" | "failed" | "skipped" | "expired" | "cancelled")
  to: string
  lane: ("otp" | "normal")
  /**
   * Name of the account.
   */
  account: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * The service's code, where it gave one.
   */
  code: (string | null)
  sentAt: (string | null)
  createdAt: string
  updatedAt: string
}
export interface MessageRequest {
  /**
   * In international form.
   */
  to: string
  text: string
  /**
   * Sender signature configured on the messaging account.
   */
  from?: string
  /**
   * Account at the provider. Default: `main`.
   */
  account?: string
  /**
   * `otp`: not behind anything else, and the text is erased once it is settled.
   */
  lane?: ("otp" | "normal")
  /**
   * Not sent after this time.
   */
  expiresAt?: string
  /**
   * Your own reference: the same reference never creates a second operation.
   */
  reference?: string
}
export interface MessageVerdicts {
  items: {
    /**
     * Its place in the request.
     */
    index: number
    id: (string | null)
    outcome: ("accepted" | "duplicate" | "conflict" | "invalid" | "valid" | "unconfirmed" | "stopped")
    /**
     * Only with `invalid`: everything that is wrong with it.
     */
    problem?: {
      pointer: string
      message: string
    }[]
    /**
     * Only with `conflict`: what is not as in the request that `id` stands for.
     */
    differs?: string[]
  }[]
}
export interface Message {
  id: string
  /**
   * `sent`: the service took it for sending.
   */
  state: ("queued" | "sending" | "unknown" | "sent" | "failed" | "skipped" | "expired" | "cancelled")
  to: string
  lane: ("otp" | "normal")
  /**
   * Name of the account.
   */
  account: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * The service's code, where it gave one.
   */
  code: (string | null)
  sentAt: (string | null)
  createdAt: string
  updatedAt: string
}
export interface OptOutRequest {
  phones: string[]
  /**
   * Only of this sender; absent: of all.
   */
  from?: string
  /**
   * Name of the account.
   */
  account?: string
  /**
   * Country of the numbers that are written without one.
   */
  country?: string
}
export interface OptOutsChanged {
  /**
   * Name of the account.
   */
  account: string
  /**
   * null: every sender.
   */
  from: (string | null)
  added?: number
  already?: number
  removed?: number
  absent?: number
  /**
   * Numbers that could not be read.
   */
  refused: number
  /**
   * The first twenty of them, by their place.
   */
  problems: {
    at: number
    reason: string
    message: string
  }[]
}
export interface OptOutList {
  /**
   * Name of the account.
   */
  account: string
  /**
   * null: every sender.
   */
  from: (string | null)
  total?: number
  /**
   * People who were forgotten and must not be texted either.
   */
  forgotten?: number
  items?: string[]
  next?: (string | null)
  /**
   * Where one was asked about.
   */
  phone?: string
  optedOut?: boolean
}
export interface InvoiceList {
  items: InvoiceRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface InvoiceRow {
  id: string
  state: ("creating" | "pending" | "needs_review" | "completed" | "cancelled" | "failed")
  token: (string | null)
  /**
   * The page where the payer pays.
   */
  url: (string | null)
  /**
   * Whole XOF.
   */
  totalAmount: number
  /**
   * Whole XOF, once it was paid.
   */
  amountPaid: (number | null)
  receiptUrl: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said about it.
   */
  failure: (string | null)
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
}
export interface InvoiceRequest {
  /**
   * What is billed, in XOF.
   */
  totalAmount: number
  store: {
    name: string
    tagline?: string
    postalAddress?: string
    phone?: string
    logoUrl?: string
    websiteUrl?: string
  }
  description?: string
  items?: {
    name?: string
    quantity?: number
    unitPrice?: (number | string)
    totalPrice?: (number | string)
    description?: string
  }[]
  taxes?: {
    name?: string
    amount?: number
  }[]
  /**
   * Pre-fills the payment page.
   */
  customer?: {
    name?: string
    email?: string
    phone?: string
  }
  /**
   * Restricts the ways to pay. The names are those of the service.
   */
  channels?: (string | string[])
  customData?: {
    [k: string]: AnyJson
  }
  /**
   * The payer is sent here afterwards, with `?token=` appended.
   */
  returnUrl?: string
  cancelUrl?: string
  /**
   * Account at the provider. Default: `main`.
   */
  account?: string
  /**
   * Your own reference: the same reference never creates a second operation.
   */
  reference?: string
}
export interface Invoice {
  id: string
  state: ("creating" | "pending" | "needs_review" | "completed" | "cancelled" | "failed")
  token: (string | null)
  /**
   * The page where the payer pays.
   */
  url: (string | null)
  /**
   * Whole XOF.
   */
  totalAmount: number
  /**
   * Whole XOF, once it was paid.
   */
  amountPaid: (number | null)
  receiptUrl: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said about it.
   */
  failure: (string | null)
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
  /**
   * Only when it is created: what may be a mistake.
   */
  warnings?: string[]
}
export interface InvoiceResolution {
  /**
   * The final state, or the next action.
   */
  outcome: ("completed" | "cancelled" | "failed")
  /**
   * The evidence for the outcome; stored with the record.
   */
  note: string
}
export interface SoftpayRequest {
  /**
   * One of card, new-wallet-a-senegal, wallet-b-senegal, wallet-c-senegal, wallet-d-senegal, wallet-h-senegal, wallet-a-ci, wallet-e-ci, wallet-f-ci, wallet-d-ci, wallet-a-burkina, wallet-f-burkina, wallet-f-benin, wallet-e-benin, wallet-g-togo, wallet-f-togo, wallet-a-mali, wallet-f-mali, service.
   */
  method: string
  customer: {
    name?: string
    email?: string
    phone?: string
    address?: string
  }
  /**
   * The code that the payer generated. Used for this request, never stored.
   */
  otp?: string
  provider?: string
  password?: string
  card?: {
    number: string
    cvv: string
    expiryYear: string
    expiryMonth: string
  }
  /**
   * Provider fields to omit.
   */
  omit?: string[]
}
export interface SoftpayStarted {
  /**
   * Started is not paid: the state of the invoice says when it is.
   */
  state: ("awaiting_payer" | "completed")
  message?: string
  /**
   * Where the payer goes on, if anywhere.
   */
  url?: string
  links?: {
    walletApp?: string
    partnerApp?: string
  }
  /**
   * XOF; only when the payer bears them.
   */
  fees?: number
  currency?: string
  /**
   * What the second step asks for, where there is one.
   */
  transactionId?: string
  returnUrl?: string
  token?: string
  data?: {}
}
export interface SoftpayConfirmation {
  authorizationCode: string
  phone: string
  transactionId: string
}
export interface PaymentRequestList {
  items: PaymentRequestRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface PaymentRequestRow {
  id: string
  state: ("creating" | "pending" | "needs_review" | "completed" | "failed")
  referenceNumber: (string | null)
  url: (string | null)
  /**
   * Whole XOF.
   */
  amount: number
  feesPaidBy: ("customer" | "merchant")
  notify: boolean
  /**
   * false: nobody can ask how it ends.
   */
  tracked: boolean
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said about it.
   */
  failure: (string | null)
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
}
export interface PaymentRequestRequest {
  /**
   * Amount in whole francs (XOF), 200 to 3000000.
   */
  amount: number
  /**
   * E-mail address of the payer.
   */
  email?: string
  /**
   * Phone number of the payer, in international form.
   */
  phone?: string
  /**
   * Party that pays the fees.
   */
  feesPaidBy: ("customer" | "merchant")
  /**
   * true: the provider sends SMS and e-mail itself, and the payment can never be checked.
   */
  notify?: boolean
  /**
   * Account at the provider. Default: `main`.
   */
  account?: string
  /**
   * Your own reference: the same reference never creates a second operation.
   */
  reference?: string
}
export interface PaymentRequest {
  id: string
  state: ("creating" | "pending" | "needs_review" | "completed" | "failed")
  referenceNumber: (string | null)
  url: (string | null)
  /**
   * Whole XOF.
   */
  amount: number
  feesPaidBy: ("customer" | "merchant")
  notify: boolean
  /**
   * false: nobody can ask how it ends.
   */
  tracked: boolean
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said about it.
   */
  failure: (string | null)
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
}
export interface PaymentRequestResolution {
  /**
   * The final state, or the next action.
   */
  outcome: ("completed" | "failed")
  /**
   * The evidence for the outcome; stored with the record.
   */
  note: string
}
export interface DirectCreditList {
  items: DirectCreditRow[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface DirectCreditRow {
  id: string
  state: ("queued" | "held" | "sending" | "needs_review" | "succeeded" | "rejected" | "failed")
  /**
   * Whole XOF.
   */
  amount: number
  accountAlias: string
  transactionId: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said.
   */
  failure: (string | null)
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
}
export interface DirectCreditRequest {
  /**
   * Provider account to credit.
   */
  accountAlias: string
  /**
   * Amount in whole francs (XOF).
   */
  amount: number
  /**
   * Account at the provider. Default: `main`.
   */
  account?: string
  /**
   * Your own reference: the same reference never creates a second operation.
   */
  reference?: string
  /**
   * Allow the same amount to the same account within DUPLICATE_WINDOW.
   */
  allowDuplicate?: boolean
}
export interface DirectCredit {
  id: string
  state: ("queued" | "held" | "sending" | "needs_review" | "succeeded" | "rejected" | "failed")
  /**
   * Whole XOF.
   */
  amount: number
  accountAlias: string
  transactionId: (string | null)
  /**
   * Why, as a word for programs. `GET /v1/explain/{word}` says it in a sentence.
   */
  reason: (string | null)
  /**
   * What the service said.
   */
  failure: (string | null)
  /**
   * The name of the key that resolved it last.
   */
  resolvedBy?: string
  /**
   * Why it was resolved so.
   */
  note?: string
  /**
   * The name that the caller gave it.
   */
  reference: (string | null)
  /**
   * Name of the account.
   */
  account: string
  createdAt: string
  updatedAt: string
  /**
   * What the service said, in order: the first and the last lines.
   */
  history: {
    at: string
    /**
     * What was asked, or `callback` for what was posted to us.
     */
    operation: string
    /**
     * The service's code, or ours for an exchange that gave none.
     */
    code: string
    httpStatus?: number
    detail?: string
  }[]
  /**
   * How many lines in the middle are no longer kept.
   */
  historyDropped?: number
}
export interface DirectCreditResolution {
  /**
   * The final state, or the next action.
   */
  outcome: ("succeeded" | "failed")
  /**
   * The evidence for the outcome; stored with the record.
   */
  note: string
  /**
   * With `succeeded`: the transaction id of the provider, used by `relais reconcile`.
   */
  transactionId?: string
}
export interface EventPage {
  events: Event[]
  /**
   * Where to go on from: give it as `after`, the same one again while nothing new has come.
   */
  next: (string | null)
  /**
   * Whether to ask again at once: the end was not reached. A page may be short, or empty, where others were stepped over.
   */
  more: boolean
}
/**
 * The provider confirmed that the beneficiary was paid.
 */
export interface DisbursementSucceededEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.succeeded"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The disbursement was sent, and the provider confirmed that the beneficiary was not paid.
 */
export interface DisbursementFailedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.failed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The provider reports that the money of a payment reported as paid came back.
 */
export interface DisbursementReversedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.reversed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The disbursement waits for approval by a different person and is not paid before.
 */
export interface DisbursementAwaitingApprovalEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.awaiting_approval"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The disbursement was refused before anything was sent.
 */
export interface DisbursementRejectedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.rejected"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The disbursement was cancelled before anything was sent.
 */
export interface DisbursementCancelledEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.cancelled"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The disbursement may or may not have been paid and needs review.
 */
export interface DisbursementNeedsReviewEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.needs_review"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The disbursement waits for a condition and then resumes.
 */
export interface DisbursementHeldEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "disbursement.held"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "failed" | "reversed" | "awaiting_approval" | "rejected" | "cancelled" | "needs_review" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount: number
    withdrawMode: string
    /**
     * Our unique reference at the service.
     */
    disburseId: string
    transactionId?: string
    providerRef?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The provider accepted the SMS for sending.
 */
export interface MessageSentEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "message.sent"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("sent" | "failed" | "unknown" | "expired" | "skipped")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * The code of the service, where it gave one.
     */
    code?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The SMS was not sent and will not be sent.
 */
export interface MessageFailedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "message.failed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("sent" | "failed" | "unknown" | "expired" | "skipped")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * The code of the service, where it gave one.
     */
    code?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The SMS may or may not have been sent, and no further status is expected.
 */
export interface MessageUnknownEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "message.unknown"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("sent" | "failed" | "unknown" | "expired" | "skipped")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * The code of the service, where it gave one.
     */
    code?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The SMS expired before it was sent.
 */
export interface MessageExpiredEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "message.expired"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("sent" | "failed" | "unknown" | "expired" | "skipped")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * The code of the service, where it gave one.
     */
    code?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The SMS was not sent because the recipient had opted out.
 */
export interface MessageSkippedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "message.skipped"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("sent" | "failed" | "unknown" | "expired" | "skipped")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * The code of the service, where it gave one.
     */
    code?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * Every recipient of the campaign has a final status.
 */
export interface CampaignFinishedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "campaign.finished"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("finished" | "awaiting_approval" | "paused" | "cancelled" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    name?: string
    /**
     * Recipients by what became of them; `total` is all of them.
     */
    totals?: {
      total: number
      queued: number
      held: number
      sending: number
      sent: number
      failed: number
      unknown: number
      skipped: number
      expired: number
      cancelled: number
    }
    /**
     * How many it would be sent to.
     */
    recipients?: number
    /**
     * What it is estimated to cost; absent where not all is priced.
     */
    xof?: number
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The campaign waits for approval by a different person and is not sent before.
 */
export interface CampaignAwaitingApprovalEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "campaign.awaiting_approval"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("finished" | "awaiting_approval" | "paused" | "cancelled" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    name?: string
    /**
     * Recipients by what became of them; `total` is all of them.
     */
    totals?: {
      total: number
      queued: number
      held: number
      sending: number
      sent: number
      failed: number
      unknown: number
      skipped: number
      expired: number
      cancelled: number
    }
    /**
     * How many it would be sent to.
     */
    recipients?: number
    /**
     * What it is estimated to cost; absent where not all is priced.
     */
    xof?: number
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The campaign is paused and sends nothing until it is resumed.
 */
export interface CampaignPausedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "campaign.paused"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("finished" | "awaiting_approval" | "paused" | "cancelled" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    name?: string
    /**
     * Recipients by what became of them; `total` is all of them.
     */
    totals?: {
      total: number
      queued: number
      held: number
      sending: number
      sent: number
      failed: number
      unknown: number
      skipped: number
      expired: number
      cancelled: number
    }
    /**
     * How many it would be sent to.
     */
    recipients?: number
    /**
     * What it is estimated to cost; absent where not all is priced.
     */
    xof?: number
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The campaign is cancelled and sends nothing more.
 */
export interface CampaignCancelledEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "campaign.cancelled"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("finished" | "awaiting_approval" | "paused" | "cancelled" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    name?: string
    /**
     * Recipients by what became of them; `total` is all of them.
     */
    totals?: {
      total: number
      queued: number
      held: number
      sending: number
      sent: number
      failed: number
      unknown: number
      skipped: number
      expired: number
      cancelled: number
    }
    /**
     * How many it would be sent to.
     */
    recipients?: number
    /**
     * What it is estimated to cost; absent where not all is priced.
     */
    xof?: number
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The campaign waits for a condition of its account.
 */
export interface CampaignHeldEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "campaign.held"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("finished" | "awaiting_approval" | "paused" | "cancelled" | "held")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    name?: string
    /**
     * Recipients by what became of them; `total` is all of them.
     */
    totals?: {
      total: number
      queued: number
      held: number
      sending: number
      sent: number
      failed: number
      unknown: number
      skipped: number
      expired: number
      cancelled: number
    }
    /**
     * How many it would be sent to.
     */
    recipients?: number
    /**
     * What it is estimated to cost; absent where not all is priced.
     */
    xof?: number
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The payment batch waits for approval by a different person; none of its rows is paid before.
 */
export interface BatchAwaitingApprovalEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "batch.awaiting_approval"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("awaiting_approval" | "finished" | "cancelled" | "needs_review")
    /**
     * Of the bytes that were approved.
     */
    contentHash: string
    /**
     * The key that sent it.
     */
    by?: string
    /**
     * The key that approved it.
     */
    approvedBy?: string
    totals?: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    /**
     * Its rows by what became of them: how many, and how many XOF.
     */
    states?: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * Every payment of the batch has a final status or needs review. `states` counts them.
 */
export interface BatchFinishedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "batch.finished"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("awaiting_approval" | "finished" | "cancelled" | "needs_review")
    /**
     * Of the bytes that were approved.
     */
    contentHash: string
    /**
     * The key that sent it.
     */
    by?: string
    /**
     * The key that approved it.
     */
    approvedBy?: string
    totals?: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    /**
     * Its rows by what became of them: how many, and how many XOF.
     */
    states?: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The payment batch was cancelled before its approval: its rows are not paid.
 */
export interface BatchCancelledEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "batch.cancelled"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("awaiting_approval" | "finished" | "cancelled" | "needs_review")
    /**
     * Of the bytes that were approved.
     */
    contentHash: string
    /**
     * The key that sent it.
     */
    by?: string
    /**
     * The key that approved it.
     */
    approvedBy?: string
    totals?: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    /**
     * Its rows by what became of them: how many, and how many XOF.
     */
    states?: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * An operator must decide whether the rows that are not accepted yet can be paid.
 */
export interface BatchNeedsReviewEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "batch.needs_review"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("awaiting_approval" | "finished" | "cancelled" | "needs_review")
    /**
     * Of the bytes that were approved.
     */
    contentHash: string
    /**
     * The key that sent it.
     */
    by?: string
    /**
     * The key that approved it.
     */
    approvedBy?: string
    totals?: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
    /**
     * Its rows by what became of them: how many, and how many XOF.
     */
    states?: {
      [k: string]: {
        count: number
        /**
         * Whole XOF.
         */
        xof: number
      }
    }
    /**
     * Why, as a word for programs.
     */
    reason?: string
  }
}
/**
 * The provider confirmed that the invoice was paid.
 */
export interface InvoiceCompletedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "invoice.completed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("completed" | "cancelled" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * What was billed, in whole XOF.
     */
    totalAmount: number
    token?: string
    /**
     * Where it is not what was billed, in whole XOF.
     */
    amountPaid?: number
    receiptUrl?: string
    /**
     * What the service said about a payment that failed.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The payer cancelled the invoice, or it expired.
 */
export interface InvoiceCancelledEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "invoice.cancelled"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("completed" | "cancelled" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * What was billed, in whole XOF.
     */
    totalAmount: number
    token?: string
    /**
     * Where it is not what was billed, in whole XOF.
     */
    amountPaid?: number
    receiptUrl?: string
    /**
     * What the service said about a payment that failed.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The payment of the invoice failed.
 */
export interface InvoiceFailedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "invoice.failed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("completed" | "cancelled" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * What was billed, in whole XOF.
     */
    totalAmount: number
    token?: string
    /**
     * Where it is not what was billed, in whole XOF.
     */
    amountPaid?: number
    receiptUrl?: string
    /**
     * What the service said about a payment that failed.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The report of the provider does not match the invoice, which needs review.
 */
export interface InvoiceNeedsReviewEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "invoice.needs_review"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("completed" | "cancelled" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * What was billed, in whole XOF.
     */
    totalAmount: number
    token?: string
    /**
     * Where it is not what was billed, in whole XOF.
     */
    amountPaid?: number
    receiptUrl?: string
    /**
     * What the service said about a payment that failed.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The payment request was paid.
 */
export interface PaymentRequestCompletedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "payment_request.completed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("pending" | "completed" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    referenceNumber?: string
    /**
     * false: nobody can ask how it ends.
     */
    tracked?: boolean
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The payment request was not paid.
 */
export interface PaymentRequestFailedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "payment_request.failed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("pending" | "completed" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    referenceNumber?: string
    /**
     * false: nobody can ask how it ends.
     */
    tracked?: boolean
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The payment request has no final status and needs review.
 */
export interface PaymentRequestNeedsReviewEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "payment_request.needs_review"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("pending" | "completed" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    referenceNumber?: string
    /**
     * false: nobody can ask how it ends.
     */
    tracked?: boolean
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The provider sent the payment request itself and gave no token, so no further status is expected.
 */
export interface PaymentRequestUntrackedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "payment_request.untracked"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("pending" | "completed" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    referenceNumber?: string
    /**
     * false: nobody can ask how it ends.
     */
    tracked?: boolean
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * It came after we had given up on it: another word was told before.
     */
    late?: boolean
  }
}
/**
 * The account was credited.
 */
export interface DirectCreditSucceededEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "direct_credit.succeeded"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "rejected" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    transactionId?: string
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The direct credit was refused before anything was sent.
 */
export interface DirectCreditRejectedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "direct_credit.rejected"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "rejected" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    transactionId?: string
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The provider refused the direct credit.
 */
export interface DirectCreditFailedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "direct_credit.failed"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "rejected" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    transactionId?: string
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The account may or may not have been credited, and the direct credit needs review.
 */
export interface DirectCreditNeedsReviewEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "direct_credit.needs_review"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the operation.
     */
    id: string
    state: ("succeeded" | "rejected" | "failed" | "needs_review")
    /**
     * The name that the caller gave it.
     */
    reference?: string
    /**
     * Whole XOF.
     */
    amount?: number
    transactionId?: string
    /**
     * What the service said.
     */
    failure?: string
    /**
     * Why, as a word for programs.
     */
    reason?: string
    /**
     * The key of the person who resolved it.
     */
    resolvedBy?: string
  }
}
/**
 * The operations of the account wait for a condition.
 */
export interface AccountHeldEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "account.held"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * Name of the account.
     */
    id: string
    area: ("payments" | "messaging" | "direct_credit")
    /**
     * The condition, as a word for programs.
     */
    reason: string
  }
}
/**
 * The condition of the account has cleared.
 */
export interface AccountReleasedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "account.released"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * Name of the account.
     */
    id: string
    area: ("payments" | "messaging" | "direct_credit")
    /**
     * The condition, as a word for programs.
     */
    reason: string
  }
}
/**
 * The webhook endpoint accepted no event for days, so no more events are delivered to it.
 */
export interface EndpointDisabledEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "endpoint.disabled"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the endpoint.
     */
    id: string
    state: ("disabled" | "tested")
    /**
     * Where it is, without path and query: they are its owner’s, and may be a password.
     */
    url: string
    reason: string
  }
}
/**
 * A user sent a test to this webhook endpoint. No other endpoint gets it, and no list of events has it.
 */
export interface EndpointTestedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "endpoint.tested"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the endpoint.
     */
    id: string
    state: ("disabled" | "tested")
    /**
     * Where it is, without path and query: they are its owner’s, and may be a password.
     */
    url: string
    reason: string
  }
}
/**
 * A job of the queue `intake` was refused: nothing was recorded and nothing will be done.
 */
export interface IntakeRejectedEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "intake.rejected"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * The id of the report. A job that runs again has the same one.
     */
    id: string
    /**
     * The id of the BullMQ job, phone numbers masked.
     */
    jobId?: string
    /**
     * The kind of the request; `unknown`: the job names no kind that exists.
     */
    kind: string
    /**
     * The name that the caller gave it, phone numbers masked.
     */
    reference?: string
    /**
     * Of a conflict: the operation that has this reference.
     */
    existingId?: string
    /**
     * Every problem. Values of the request are left out.
     */
    problems: {
      /**
       * JSON pointer into the request; empty: the whole request.
       */
      pointer: string
      message: string
    }[]
  }
}
/**
 * PostgreSQL may have lost data: relais accepts and sends nothing until an operator has reviewed it.
 */
export interface SystemRecoveringEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "system.recovering"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * `system`: it is about relais itself.
     */
    id: string
    state: ("recovering" | "recovered")
    /**
     * What was noticed, as a word for programs.
     */
    because: string
    /**
     * The key of the person who ended it, or `witness`.
     */
    by?: string
  }
}
/**
 * An operator ended the recovery. Earlier event cursors are refused: re-read the state.
 */
export interface SystemRecoveredEvent {
  /**
   * Stable: the operation and its sequence. The same each time it is delivered.
   */
  id: string
  type: "system.recovered"
  /**
   * When the state was entered.
   */
  timestamp: string
  /**
   * Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.
   */
  sequence: number
  /**
   * The name of the account that it is about.
   */
  account: string
  data: {
    /**
     * `system`: it is about relais itself.
     */
    id: string
    state: ("recovering" | "recovered")
    /**
     * What was noticed, as a word for programs.
     */
    because: string
    /**
     * The key of the person who ended it, or `witness`.
     */
    by?: string
  }
}
export interface EndpointRegistration {
  url: string
  /**
   * Only events of these types. Absent: all types.
   */
  types?: ("disbursement.succeeded" | "disbursement.failed" | "disbursement.reversed" | "disbursement.awaiting_approval" | "disbursement.rejected" | "disbursement.cancelled" | "disbursement.needs_review" | "disbursement.held" | "message.sent" | "message.failed" | "message.unknown" | "message.expired" | "message.skipped" | "campaign.finished" | "campaign.awaiting_approval" | "campaign.paused" | "campaign.cancelled" | "campaign.held" | "batch.awaiting_approval" | "batch.finished" | "batch.cancelled" | "batch.needs_review" | "invoice.completed" | "invoice.cancelled" | "invoice.failed" | "invoice.needs_review" | "payment_request.completed" | "payment_request.failed" | "payment_request.needs_review" | "payment_request.untracked" | "direct_credit.succeeded" | "direct_credit.rejected" | "direct_credit.failed" | "direct_credit.needs_review" | "account.held" | "account.released" | "endpoint.disabled" | "endpoint.tested" | "intake.rejected" | "system.recovering" | "system.recovered")[]
  /**
   * Headers of its own for each delivery, such as those that a gateway asks for. At most 10; not shown again.
   */
  headers?: {
    [k: string]: string
  }
}
export interface EventEndpointWithSecret {
  id: string
  url: string
  /**
   * null: all.
   */
  types: (string[] | null)
  /**
   * null: all.
   */
  accounts: (string[] | null)
  state: ("enabled" | "disabled")
  reason: (string | null)
  createdAt: string
  lastDeliveredAt: (string | null)
  failingSince: (string | null)
  /**
   * For checking the signatures. Shown this once.
   */
  secret: string
}
export interface EventEndpointList {
  items: EventEndpoint[]
  next: null
}
export interface EventEndpoint {
  id: string
  url: string
  /**
   * null: all.
   */
  types: (string[] | null)
  /**
   * null: all.
   */
  accounts: (string[] | null)
  state: ("enabled" | "disabled")
  reason: (string | null)
  createdAt: string
  lastDeliveredAt: (string | null)
  failingSince: (string | null)
}
export interface EventEndpointDetail {
  id: string
  url: string
  /**
   * null: all.
   */
  types: (string[] | null)
  /**
   * null: all.
   */
  accounts: (string[] | null)
  state: ("enabled" | "disabled")
  reason: (string | null)
  createdAt: string
  lastDeliveredAt: (string | null)
  failingSince: (string | null)
  /**
   * Events that are still to be posted.
   */
  waiting: number
  /**
   * Events that were given up on: replay them.
   */
  undelivered: number
  /**
   * The last ones, with what the endpoint answered.
   */
  deliveries: {
    at: (string | null)
    event: string
    outcome: string
    answer: string
    tries: number
  }[]
}
export interface ReplayOrder {
  /**
   * Events from this time on.
   */
  since?: string
  /**
   * Only the event with this id, as in `deliveries`.
   */
  event?: string
}
export interface Replayed {
  replayed: number
  /**
   * false: there are more; ask again from a later time.
   */
  complete: boolean
}
export interface EndpointTested {
  /**
   * It answered 2xx.
   */
  taken: boolean
  /**
   * What it answered, or why it could not.
   */
  answer: string
}
export interface ReviewList {
  items: Reviewed[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
/**
 * Approving it lets its rows go on; cancelling it ends it.
 */
export interface ReviewedBatch {
  kind: "batch"
  id: string
  state: "needs_review"
  /**
   * Name of the account.
   */
  account: string
  reason: (string | null)
  contentHash: string
  totals: {
    count: number
    xof: number
  }
  uploadedBy: string
  updatedAt: string
}
export interface SelectionResolution {
  /**
   * All filters apply together; limits are inclusive.
   */
  where: {
    /**
     * The reason for the review.
     */
    reason?: string
    /**
     * Account at the provider. Default: `main`.
     */
    account?: string
    withdrawMode?: string
    /**
     * Only rows of this payment batch.
     */
    batch?: string
    createdFrom?: string
    createdTo?: string
    amountMin?: number
    amountMax?: number
  }
  /**
   * The final state, or the next action.
   */
  outcome: ("succeeded" | "failed" | "reversed" | "cancelled" | "resubmit")
  /**
   * The evidence for the outcome; stored with the record.
   */
  note: string
  /**
   * The id of the selection, from the answer without `confirm`. Absent: nothing is decided.
   */
  confirm?: {
    count: number
    selection: string
  }
}
export interface Selection {
  dryRun: true
  count: number
  xof: number
  /**
   * Why they wait: how many, and how much.
   */
  reasons: {
    [k: string]: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
  }
  /**
   * Stands for exactly these, and this outcome.
   */
  selection: string
}
export interface Found {
  items: {
    kind: ("disbursement" | "message" | "campaign" | "batch" | "invoice" | "payment_request" | "direct_credit")
    id: string
    state: string
    reference: (string | null)
    /**
     * Name of the account.
     */
    account: string
    createdAt: string
  }[]
}
export interface TextedList {
  items: {
    campaign: string
    name: string
    /**
     * Name of the account.
     */
    account: string
    /**
     * Of its file.
     */
    row: number
    state: string
    code: (string | null)
    sentAt: (string | null)
    createdAt: string
  }[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface Explanation {
  id: string
  kind: ("disbursement" | "message" | "campaign" | "batch" | "invoice" | "payment_request" | "direct_credit" | "word")
  state: (string | null)
  summary: string
  story: {
    at: string
    what: string
  }[]
  next: string
  nextLook: (string | null)
}
export interface Callback {
  id: string
  /**
   * false: posted, signed, about nothing that we know.
   */
  known: boolean
  /**
   * The last body that the service posted, with secrets out.
   */
  body: string
}
export interface SessionRequest {
  /**
   * The secret of a key.
   */
  key: string
}
export interface Session {
  /**
   * The name of the key.
   */
  name: string
  /**
   * Whose key it is, where that is said.
   */
  person: (string | null)
  /**
   * What it may do now.
   */
  roles: string[]
  /**
   * null: all.
   */
  accounts: (string[] | null)
  /**
   * What a fresh sign-in asks for: the key again, or the provider of identities.
   */
  signedInBy: ("key" | "provider")
  /**
   * The first that the browser asks for of those that there are here.
   */
  language: (("fr" | "en") | null)
  /**
   * The end, whatever is done until then: eight hours after it began.
   */
  expiresAt: string
  /**
   * The end where nothing is asked until then.
   */
  idleUntil: string
  /**
   * Until then, what asks for a fresh sign-in is done without one.
   */
  confirmedUntil: string
}
export interface IdentityProvider {
  /**
   * What people see of it; null: sign in with a key.
   */
  host: (string | null)
}
export interface ProviderSignInRequest {
  /**
   * The page of the console to go on with, without `/console`.
   */
  at?: string
  /**
   * The provider asks who it is, however lately it did: for what asks for a fresh sign-in.
   */
  again?: boolean
}
export interface ProviderSignIn {
  /**
   * At the provider.
   */
  url: string
}
export interface ViolationReport {}
export interface Status {
  /**
   * Of each kind how many stand in each state.
   */
  operations: {
    [k: string]: {
      [k: string]: number
    }
  }
  /**
   * Money that may have been paid and is not known to be, by how long it has stood so.
   */
  inDoubt: {
    age: ("<10m" | "<1h" | "<1d" | ">=1d")
    xof: number
    count: number
  }[]
  /**
   * What waits for a person.
   */
  waiting: {
    kind: string
    state: string
    count: number
    xof: number
  }[]
  /**
   * What holds which account, the longest first.
   */
  holds: {
    /**
     * Name of the account.
     */
    account: string
    area: ("payments" | "messaging" | "direct_credit")
    reason: string
    since: string
    /**
     * Of `provider_unreadable`: type, encoding and beginning of the answer that came.
     */
    came?: string
    /**
     * When it is tried again; null: a person ends it.
     */
    until: (string | null)
    /**
     * Payments that wait behind it; of texts, recipients of campaigns.
     */
    count: number
    xof: number
  }[]
  /**
   * Those under way, ten at most; `operations` says how many there are.
   */
  campaigns: {
    id: string
    name: string
    /**
     * Name of the account.
     */
    account: string
    state: string
    reason: (string | null)
    /**
     * People who get the SMS; skipped rows are not counted.
     */
    total: number
    /**
     * Recipients that nothing was sent to yet.
     */
    waiting: number
    rate: number
    eta: (string | null)
  }[]
  queues: {
    name: string
    /**
     * What no worker has taken yet.
     */
    waiting: number
    /**
     * ms; 0 where nothing waits.
     */
    oldestMs: number
  }[]
  /**
   * Those that have said within ten seconds that they are at work.
   */
  workers: number
  /**
   * The same by name, a hundred at most.
   */
  workersHere: {
    /**
     * Machine or container, process, and a word of its own.
     */
    name: string
    /**
     * How many requests it may have in flight.
     */
    slots: number
  }[]
  /**
   * As a worker saw them last (BALANCE_INTERVAL). The service calls them approximate.
   */
  balances: {
    /**
     * Name of the account.
     */
    account: string
    country: string
    xof: (number | null)
    /**
     * XOF that have still to leave or are on their way.
     */
    inFlight: number
    at: string
  }[]
}
export interface Findings {
  /**
   * When it was looked at.
   */
  at: string
  faults: number
  findings: {
    check: string
    /**
     * The check, in the language that was asked for.
     */
    name: string
    /**
     * `skipped`: it could not be looked at, or is not used here; no fault by itself.
     */
    is: ("ok" | "fault" | "skipped")
    says: string
    /**
     * Of a fault: what to do.
     */
    fix: (string | null)
  }[]
}
export interface QueueList {
  items: {
    name: string
    paused: boolean
    /**
     * Wake-ups, or of payments what is due, that no worker has taken yet.
     */
    waiting: number
    /**
     * Wake-ups that are taken; of payments, workers that are taking.
     */
    active: number
    /**
     * Operations in the due index of this queue.
     */
    due: number
  }[]
}
export interface IntakeList {
  items: RejectedIntake[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface RejectedIntake {
  id: string
  state: "rejected"
  at: string
  /**
   * The id of the BullMQ job. Absent: the request came over SQL.
   */
  jobId?: string
  /**
   * The kind of the request; `unknown`: the job names no kind that exists.
   */
  kind: string
  /**
   * Name of the account.
   */
  account: string
  reference: (string | null)
  /**
   * Of a conflict: the operation that has this reference.
   */
  existingId: (string | null)
  problems: {
    pointer: string
    message: string
  }[]
}
export interface AccountList {
  items: Account[]
}
export interface Account {
  name: string
  /**
   * Empty: its operations go on.
   */
  held: {
    area: ("payments" | "messaging" | "direct_credit")
    reason: string
    since: string
    /**
     * Of `provider_unreadable`: type, encoding and beginning of the answer that came.
     */
    came?: string
  }[]
}
export interface LimitList {
  items: Limit[]
}
export interface Limit {
  name: ("MAX_DISBURSEMENT" | "MAX_PER_DAY" | "MAX_PER_BENEFICIARY_DAY" | "DUPLICATE_WINDOW" | "APPROVAL_ABOVE" | "CAMPAIGN_APPROVAL_ABOVE_XOF" | "CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS" | "SMS_BUDGET_DAY" | "SMS_BUDGET_MONTH")
  /**
   * XOF; ms for DUPLICATE_WINDOW. null: no limit.
   */
  value: (number | null)
  /**
   * null: nobody has said anything; the default holds.
   */
  since: (string | null)
  /**
   * The keys that set it, or the roles of the process whose settings did.
   */
  by: (string | null)
  /**
   * Looser than what holds: waits a day for a different person to ask for the same.
   */
  asked?: {
    /**
     * XOF; ms for DUPLICATE_WINDOW. null: no limit.
     */
    value: (number | null)
    by: string
    at: string
  }
}
export interface BudgetList {
  items: {
    limit: ("SMS_BUDGET_DAY" | "SMS_BUDGET_MONTH")
    /**
     * XOF that it lets through in its period.
     */
    value: number
    spent: number
  }[]
}
export interface LimitWish {
  /**
   * XOF; ms for DUPLICATE_WINDOW. null: no limit.
   */
  value: (number | null)
}
export interface Resealed {
  /**
   * Endpoints that are sealed with the newest secret now.
   */
  resealed: number
  /**
   * Endpoints with a secret that none of the sealing secrets opens: they need another.
   */
  unreadable: string[]
}
export interface ApiKeyRequest {
  /**
   * Name of the key in the audit log.
   */
  name: string
  /**
   * Roles of the key; `admin` includes no other role.
   */
  roles: ("enqueue" | "read" | "approve" | "operate" | "admin")[]
  /**
   * Only these accounts. Default: all accounts.
   */
  accounts?: string[]
  /**
   * Person who holds the key: for approvals, two keys of one person count as one. Give this or `service`.
   */
  person?: string
  /**
   * Program that uses the key.
   */
  service?: string
  /**
   * Expiry time of the key. Default: valid until it is revoked.
   */
  expiresAt?: string
}
export interface ApiKeyWithSecret {
  /**
   * null: it is of API_KEYS.
   */
  id: (string | null)
  name: string
  roles: string[]
  /**
   * null: all.
   */
  accounts: (string[] | null)
  person: (string | null)
  service: (string | null)
  createdAt: (string | null)
  /**
   * Who made it; `settings`: it is of API_KEYS.
   */
  createdBy: string
  expiresAt: (string | null)
  revokedAt: (string | null)
  /**
   * Sent as `Authorization: Bearer …`. Shown this once.
   */
  secret: string
}
export interface ApiKeyList {
  items: ApiKey[]
  next: null
}
export interface ApiKey {
  /**
   * null: it is of API_KEYS.
   */
  id: (string | null)
  name: string
  roles: string[]
  /**
   * null: all.
   */
  accounts: (string[] | null)
  person: (string | null)
  service: (string | null)
  createdAt: (string | null)
  /**
   * Who made it; `settings`: it is of API_KEYS.
   */
  createdBy: string
  expiresAt: (string | null)
  revokedAt: (string | null)
}
export interface AuditPage {
  items: AuditItem[]
  /**
   * Give it as `after` to go on; null at the end.
   */
  next: (string | null)
}
export interface AuditItem {
  id: string
  at: string
  /**
   * The name of the key; or of settings that changed a limit.
   */
  by: string
  /**
   * Whose key it is, where that is said.
   */
  person: (string | null)
  /**
   * The role that the act needs.
   */
  role: (string | null)
  /**
   * Entry point: `api`; `console` (a session); `link` (the link in an SMS); `settings` (a process at its start); `sql`; `intake`.
   */
  source: string
  /**
   * The `X-Request-Id` of the request.
   */
  requestId: string
  /**
   * One of audit.forget, disbursement.create, disbursement.cancel, disbursement.approve, disbursement.resolve, batch.create, batch.approve, batch.retry, batch.cancel, campaign.create, campaign.amend, campaign.upload, kept-file.upload, campaign.start, campaign.approve, campaign.pause, campaign.resume, campaign.cancel, campaign.retry, message.send, opt-outs.add, opt-outs.remove, invoice.create, invoice.resolve, payment-request.create, payment-request.resolve, direct-credit.create, direct-credit.resolve, endpoint.create, endpoint.delete, endpoint.replay, endpoint.rotate-secret, queue.pause, queue.resume, account.stop, account.release, limit.set, key.create, key.revoke, session.sign-in, session.confirm, session.sign-out, secrets.rotate, recovery.leave, person.purge.
   */
  act: string
  /**
   * What it was done to.
   */
  target: (string | null)
  before: ({
    [k: string]: unknown
  } | null)
  after: ({
    [k: string]: unknown
  } | null)
  /**
   * The MAC of this line and all lines before it. Empty until the line is signed.
   */
  hash: string
}
export interface AuditVerdict {
  fits: boolean
  /**
   * How many lines there have ever been, up to where they fit.
   */
  lines: number
  /**
   * The oldest that is kept.
   */
  first: (string | null)
  last: (string | null)
  /**
   * Up to here the lines are sealed with SEALING_SECRET.
   */
  sealedTo: (string | null)
  /**
   * The first line that does not fit.
   */
  fault: ({
    id: string
    why: string
  } | null)
}
export interface PurgeRequest {
  phone: string
  country?: string
  /**
   * Where the last answer left off (`next`).
   */
  after?: string
}
export interface Purged {
  phone: string
  /**
   * Rows that were read.
   */
  looked: number
  found: {
    messages: number
    /**
     * Money records that no search by the number finds any more.
     */
    payments: number
    /**
     * Of campaigns, and rows of uploads that were left out.
     */
    recipients: number
    /**
     * Files of drafts, dropped: choose them again.
     */
    files: number
    /**
     * Requests in the queue `intake`, taken or not.
     */
    intakeJobs: number
    events: number
    /**
     * Lists they opted out of; they still have, by a hash.
     */
    optOuts: number
  }
  /**
   * On their way, in doubt, or about money: not touched.
   */
  open: number
  /**
   * Absent: that was all.
   */
  next?: string
  /**
   * What stays, and why.
   */
  kept: string
}
export interface Recovery {
  state: ("none" | "recovering")
  /**
   * How it was noticed.
   */
  because: (string | null)
  since: (string | null)
  /**
   * When relais was last at work on what is there now.
   */
  lastBeat: (string | null)
  /**
   * Something was lost: it cannot be confirmed that nothing was.
   */
  proven: boolean
  open?: {
    /**
     * A kind of operation, or `recipient` of a campaign.
     */
    kind: string
    state: string
    count: number
    xof?: number
    would: ("review" | "ask" | "hold" | "doubt" | "look" | "nothing")
  }[]
  /**
   * What the service says about those that were asked about.
   */
  says?: {
    /**
     * A kind of operation, or `recipient` of a campaign.
     */
    kind: string
    asked: number
    words: {
      [k: string]: number
    }
  }[]
  /**
   * Of a POST. false: ask again.
   */
  over?: boolean
  /**
   * Of `nothingWasLost`: this person has confirmed it, and another person must, too.
   */
  first?: string
  progress?: {
    done: number
    of: number
  }
  /**
   * What the last one came to.
   */
  last?: (RecoveryReport | null)
}
export interface RecoveryReport {
  at: (string | null)
  /**
   * The key that applied it.
   */
  by: string
  because: string
  /**
   * What was done after this time is not known here.
   */
  lostSince: (string | null)
  items: {
    /**
     * A kind of operation, or `recipient` of a campaign.
     */
    kind: string
    /**
     * Before. The others add up to it.
     */
    open: {
      count: number
      xof: number
    }
    settled: {
      count: number
      xof: number
    }
    needsReview: {
      count: number
      xof: number
    }
    underWay: {
      count: number
      xof: number
    }
    held: {
      count: number
      xof: number
    }
  }[]
  /**
   * Operations that this version cannot read or record, the first by name.
   */
  unreadable: {
    count: number
    ids: string[]
  }
  heldCampaigns: {
    id: string
    name: string
  }[]
  /**
   * Accepted in the lost time, by kind, and recorded again from the journal.
   */
  restored: {
    [k: string]: {
      count: number
      /**
       * Whole XOF.
       */
      xof: number
    }
  }
  /**
   * Acts of the lost time that a person must repeat.
   */
  lostActions: {
    at: (string | null)
    act: string
  }[]
  /**
   * Why the journal does not prove what never left; null: it does.
   */
  broken: (string | null)
  /**
   * What relais cannot do for anybody, a sentence each.
   */
  next: string[]
}
export interface Balances {
  /**
   * Name of the account.
   */
  account: string
  /**
   * The service calls its own figures an approximation.
   */
  approximate: true
  /**
   * XOF by country; null: it could not be read.
   */
  balances: {
    [k: string]: (number | null)
  }
  /**
   * XOF that have still to leave or are on their way, by country.
   */
  inFlight?: {
    [k: string]: number
  }
  /**
   * What would be left then: advice, never a gate.
   */
  afterInFlight?: {
    [k: string]: (number | null)
  }
}
export interface DailyReport {
  date: string
  timezone: string
  /**
   * The day is over: its report does not change any more.
   */
  closed: boolean
  rows: DailyRow[]
}
export interface DailyRow {
  /**
   * Name of the account.
   */
  account: string
  /**
   * Of the withdraw mode, or of the number that was texted. null: it has none, as an invoice.
   */
  country: (string | null)
  /**
   * Disbursements that were accepted and not over when the day began.
   */
  opening: {
    count: number
    xof: number
  }
  /**
   * Disbursements that were accepted.
   */
  accepted: {
    count: number
    xof: number
  }
  /**
   * Paid. Less than nothing where a word of another day was taken back.
   */
  succeeded: {
    count: number
    xof: number
  }
  /**
   * Not paid. Less than nothing where a word of another day was taken back.
   */
  failed: {
    count: number
    xof: number
  }
  /**
   * Never submitted.
   */
  rejected: {
    count: number
    xof: number
  }
  /**
   * Called back before anything was paid.
   */
  cancelled: {
    count: number
    xof: number
  }
  /**
   * opening + accepted - (succeeded + failed + rejected + cancelled).
   */
  closing: {
    count: number
    xof: number
  }
  /**
   * Came back after it was paid, on whatever day that was.
   */
  reversed: {
    count: number
    xof: number
  }
  /**
   * Of the closing, what may have been paid already: at midnight, or by now.
   */
  inDoubt: {
    count: number
    xof: number
  }
  /**
   * Invoices and payment requests that were paid.
   */
  collected: {
    count: number
    xof: number
  }
  /**
   * Direct credits that succeeded.
   */
  credited: {
    count: number
    xof: number
  }
  /**
   * Direct credits that were accepted and are not over: at midnight, or by now.
   */
  creditsOpen: {
    count: number
    xof: number
  }
  /**
   * Texts by what became of them, those of campaigns and single ones.
   */
  texts: {
    sent: number
    failed: number
    unknown: number
    expired: number
  }
  /**
   * Their segments.
   */
  segments: {
    sent: number
    failed: number
    unknown: number
    expired: number
  }
  /**
   * XOF, of what was sent or is in doubt, by SMS_PRICES_FILE. null: no price is known.
   */
  costEstimated: (number | null)
}
export interface BalancesSeen {
  items: {
    /**
     * When somebody looked.
     */
    at: string
    /**
     * Name of the account.
     */
    account: string
    /**
     * XOF by country; null: it could not be read.
     */
    balances: {
      [k: string]: (number | null)
    }
  }[]
  /**
   * `after` of the next page; null on the last one.
   */
  next: (string | null)
}
export interface JsonDocument {}
export interface ProblemKind {
  type: string
  title: string
  status: number
  /**
   * What to do about it.
   */
  next: string
}
export interface Problem {
  /**
   * Which refusal it is; its last part is for programs.
   */
  type: string
  title: string
  status: number
  /**
   * What to do about it.
   */
  detail: string
  /**
   * With 422: everything that is wrong, and where (JSON Pointer; a query parameter by name).
   */
  problems?: {
    pointer: string
    message: string
    code?: string
  }[]
  /**
   * With 409: what the identity already stands for.
   */
  existingId?: string
  /**
   * With 403 and 409: which rule refused, a word for programs.
   */
  rule?: ("role" | "account" | "all-accounts" | "other-person" | "own-roles" | "undecided" | "content-changed" | "origin" | "sign-in-again" | "limit" | "setting" | "state" | "upstream" | "identity" | "unreadable")
  /**
   * With 409: what is not as in the request that `existingId` stands for.
   */
  differs?: string[]
  /**
   * The state that it is in.
   */
  state?: string
  /**
   * With 502 and 504: what was recorded. Repeat the request.
   */
  id?: string
  /**
   * With 502 and 504: our word for what happened.
   */
  code?: string
  /**
   * The service's own code.
   */
  upstreamCode?: string
  message?: string
  /**
   * Whether sending the same again may help. It cannot harm.
   */
  retryable?: boolean
  /**
   * With 410: the oldest event that is kept.
   */
  oldest?: string
}
