// Made from the routes. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import type { DerivedCommand } from '../derived.ts';

/** The command that shows one, by the prefix of its id. */
export const showing: Readonly<Record<string, string>> = {
  "dsb": "disburse show",
  "bat": "disburse batch-show",
  "cmp": "campaign show",
  "msg": "messages show",
  "inv": "invoice show",
  "prq": "payment-request show",
  "dcr": "direct-credit show"
};

export const commands: readonly DerivedCommand[] = [
  {
    "name": "disburse list",
    "says": "List disbursements",
    "example": "--state awaiting_approval",
    "method": "GET",
    "path": "/v1/disbursements",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "awaiting_approval",
              "queued",
              "held",
              "created",
              "submitting",
              "unknown",
              "pending",
              "needs_review",
              "succeeded",
              "failed",
              "reversed",
              "rejected",
              "cancelled"
            ]
          }
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "query",
        "says": "Only the operation with this reference",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Minimum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Maximum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--token",
        "field": "token",
        "in": "query",
        "says": "Only the operation with this provider token",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--transaction-id",
        "field": "transactionId",
        "in": "query",
        "says": "Only the operation with this provider transaction id",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--batch",
        "field": "batch",
        "in": "query",
        "says": "Only rows of this payment batch",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "Only this phone number, in any spelling",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "amount",
      "accountAlias",
      "withdrawMode",
      "reference",
      "updatedAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "DisbursementList"
  },
  {
    "name": "disburse create",
    "says": "Pay one beneficiary, at most once per reference",
    "example": "--to 771234567 --amount 25000 --mode wallet-a-senegal --reference order-1042",
    "method": "POST",
    "path": "/v1/disbursements",
    "takes": [],
    "flags": [
      {
        "flag": "--to",
        "field": "accountAlias",
        "in": "body",
        "says": "Phone number of the beneficiary without country code, or the provider account id for `service`",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64
        },
        "required": true
      },
      {
        "flag": "--amount",
        "field": "amount",
        "in": "body",
        "says": "Amount in whole francs (XOF)",
        "schema": {
          "type": "integer",
          "exclusiveMinimum": 0,
          "maximum": 1000000000000
        },
        "required": true
      },
      {
        "flag": "--mode",
        "field": "withdrawMode",
        "in": "body",
        "says": "Payment channel",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64
        },
        "required": true
      },
      {
        "flag": "--debit",
        "field": "debitAccountNumber",
        "in": "body",
        "says": "Account to debit, only with `service`",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 32
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "body",
        "says": "Account at the provider. Default: `main`",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "body",
        "says": "Your own reference: the same reference never creates a second operation",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--not-before",
        "field": "notBefore",
        "in": "body",
        "says": "Earliest time of the payment",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--allow-duplicate",
        "field": "allowDuplicate",
        "in": "body",
        "says": "Allow the same amount to the same beneficiary within DUPLICATE_WINDOW",
        "schema": {
          "type": "boolean"
        }
      },
      {
        "flag": "--allow-unusual-number",
        "field": "allowUnusualNumber",
        "in": "body",
        "says": "Allow a phone number with an unusual length for the country of the withdraw mode",
        "schema": {
          "type": "boolean"
        }
      }
    ],
    "identity": "required",
    "dryRun": true,
    "asks": "Pay {amount} to {accountAlias}?",
    "next": "Follow its progress: relais disburse show {id}",
    "answer": "Disbursement"
  },
  {
    "name": "disburse show",
    "says": "Get a disbursement",
    "example": "dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/disbursements/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Disbursement"
  },
  {
    "name": "disburse cancel",
    "says": "Cancel a disbursement",
    "example": "dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/disbursements/{id}/cancel",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Disbursement"
  },
  {
    "name": "disburse batch-list",
    "says": "List payment batches",
    "example": "--state invalid",
    "method": "GET",
    "path": "/v1/disbursement-batches",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "invalid",
              "awaiting_approval",
              "running",
              "needs_review",
              "finished",
              "cancelled",
              "expired"
            ]
          }
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "account",
      "totals",
      "uploadedBy",
      "approvedBy",
      "createdAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "BatchList"
  },
  {
    "name": "disburse batch-show",
    "says": "Get a payment batch",
    "example": "bat_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/disbursement-batches/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Batch"
  },
  {
    "name": "disburse batch-cancel",
    "says": "Cancel a payment batch",
    "example": "bat_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/disbursement-batches/{id}/cancel",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Batch"
  },
  {
    "name": "disburse batch-rows",
    "says": "List the rows of a payment batch",
    "example": "bat_4n7q0c1w2e3r4t5y6z7a8b9c0d --outcome notPaid",
    "method": "GET",
    "path": "/v1/disbursement-batches/{id}/rows",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [
      {
        "flag": "--outcome",
        "field": "outcome",
        "in": "query",
        "says": "Only rows with this outcome",
        "schema": {
          "type": "string",
          "enum": [
            "notPaid",
            "uncertain",
            "open",
            "elsewhere",
            "paid"
          ]
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "row",
      "reference",
      "accountAlias",
      "amount",
      "state",
      "id",
      "reason"
    ],
    "none": "The batch has no such rows.",
    "answer": "BatchRows"
  },
  {
    "name": "disburse batch-retry",
    "says": "Retry the unpaid rows of a batch",
    "example": "bat_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/disbursement-batches/{id}/retry",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "asks": "Make a new batch of the unpaid rows of {id}?",
    "next": "A different person approves it: relais disburse approve ID --hash HASH",
    "answer": "Batch"
  },
  {
    "name": "campaign list",
    "says": "List campaigns",
    "example": "--state draft",
    "method": "GET",
    "path": "/v1/campaigns",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "draft",
              "ready",
              "awaiting_approval",
              "scheduled",
              "running",
              "paused",
              "held",
              "finished",
              "cancelled"
            ]
          }
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "query",
        "says": "Only the operation with this reference",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "name",
      "reason",
      "segments",
      "account",
      "createdAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "CampaignList"
  },
  {
    "name": "campaign pause",
    "says": "Pause a campaign",
    "example": "cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/campaigns/{id}/pause",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Campaign"
  },
  {
    "name": "campaign resume",
    "says": "Resume a campaign",
    "example": "cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/campaigns/{id}/resume",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Campaign"
  },
  {
    "name": "campaign cancel",
    "says": "Cancel a campaign",
    "example": "cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/campaigns/{id}/cancel",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Campaign"
  },
  {
    "name": "messages list",
    "says": "List messages",
    "example": "--state queued",
    "method": "GET",
    "path": "/v1/messages",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "queued",
              "sending",
              "unknown",
              "sent",
              "failed",
              "skipped",
              "expired",
              "cancelled"
            ]
          }
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "query",
        "says": "Only the operation with this reference",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "Only this phone number, in any spelling",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "to",
      "lane",
      "code",
      "reference",
      "account",
      "createdAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "MessageList"
  },
  {
    "name": "messages show",
    "says": "Get a message",
    "example": "msg_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/messages/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Message"
  },
  {
    "name": "invoice list",
    "says": "List invoices",
    "example": "--state creating",
    "method": "GET",
    "path": "/v1/invoices",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "creating",
              "pending",
              "needs_review",
              "completed",
              "cancelled",
              "failed"
            ]
          }
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "query",
        "says": "Only the operation with this reference",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Minimum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Maximum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--token",
        "field": "token",
        "in": "query",
        "says": "Only the operation with this provider token",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "totalAmount",
      "amountPaid",
      "reference",
      "account",
      "createdAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "InvoiceList"
  },
  {
    "name": "invoice show",
    "says": "Get an invoice",
    "example": "inv_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/invoices/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Invoice"
  },
  {
    "name": "invoice confirm",
    "says": "Check an invoice with the provider",
    "example": "inv_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/invoices/{id}/confirm",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Invoice"
  },
  {
    "name": "invoice resolve",
    "says": "Resolve an invoice that needs review",
    "example": "inv_4n7q0c1w2e3r4t5y6z7a8b9c0d --outcome completed --note 'Seen in the dashboard'",
    "method": "POST",
    "path": "/v1/invoices/{id}/resolve",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [
      {
        "flag": "--outcome",
        "field": "outcome",
        "in": "body",
        "says": "The final state, or the next action",
        "schema": {
          "type": "string",
          "enum": [
            "completed",
            "cancelled",
            "failed"
          ]
        },
        "required": true
      },
      {
        "flag": "--note",
        "field": "note",
        "in": "body",
        "says": "The evidence for the outcome; stored with the record",
        "schema": {
          "type": "string",
          "minLength": 3,
          "maxLength": 500
        },
        "required": true
      }
    ],
    "asks": "Resolve {id}?",
    "answer": "Invoice"
  },
  {
    "name": "payment-request list",
    "says": "List payment requests",
    "example": "--state creating",
    "method": "GET",
    "path": "/v1/payment-requests",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "creating",
              "pending",
              "needs_review",
              "completed",
              "failed"
            ]
          }
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "query",
        "says": "Only the operation with this reference",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Minimum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Maximum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "Only this phone number, in any spelling",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "amount",
      "feesPaidBy",
      "reference",
      "account",
      "createdAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "PaymentRequestList"
  },
  {
    "name": "payment-request create",
    "says": "Create a payment request",
    "example": "--amount 5000 --fees-paid-by customer --reference order-1042",
    "method": "POST",
    "path": "/v1/payment-requests",
    "takes": [],
    "flags": [
      {
        "flag": "--amount",
        "field": "amount",
        "in": "body",
        "says": "Amount in whole francs (XOF), 200 to 3000000",
        "schema": {
          "type": "integer",
          "minimum": 200,
          "maximum": 3000000
        },
        "required": true
      },
      {
        "flag": "--email",
        "field": "email",
        "in": "body",
        "says": "E-mail address of the payer",
        "schema": {
          "type": "string",
          "maxLength": 254
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "body",
        "says": "Phone number of the payer, in international form",
        "schema": {
          "type": "string",
          "maxLength": 32
        }
      },
      {
        "flag": "--fees-paid-by",
        "field": "feesPaidBy",
        "in": "body",
        "says": "Party that pays the fees",
        "schema": {
          "type": "string",
          "enum": [
            "customer",
            "merchant"
          ]
        },
        "required": true
      },
      {
        "flag": "--notify",
        "field": "notify",
        "in": "body",
        "says": "true: the provider sends SMS and e-mail itself, and the payment can never be checked",
        "schema": {
          "type": "boolean"
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "body",
        "says": "Account at the provider. Default: `main`",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "body",
        "says": "Your own reference: the same reference never creates a second operation",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      }
    ],
    "identity": "required",
    "dryRun": true,
    "next": "Follow its progress: relais payment-request show {id}",
    "answer": "PaymentRequest"
  },
  {
    "name": "payment-request show",
    "says": "Get a payment request",
    "example": "prq_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/payment-requests/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "PaymentRequest"
  },
  {
    "name": "payment-request confirm",
    "says": "Check a payment request with the provider",
    "example": "prq_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/payment-requests/{id}/confirm",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "PaymentRequest"
  },
  {
    "name": "payment-request resolve",
    "says": "Resolve a payment request that needs review",
    "example": "prq_4n7q0c1w2e3r4t5y6z7a8b9c0d --outcome completed --note 'Seen in the dashboard'",
    "method": "POST",
    "path": "/v1/payment-requests/{id}/resolve",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [
      {
        "flag": "--outcome",
        "field": "outcome",
        "in": "body",
        "says": "The final state, or the next action",
        "schema": {
          "type": "string",
          "enum": [
            "completed",
            "failed"
          ]
        },
        "required": true
      },
      {
        "flag": "--note",
        "field": "note",
        "in": "body",
        "says": "The evidence for the outcome; stored with the record",
        "schema": {
          "type": "string",
          "minLength": 3,
          "maxLength": 500
        },
        "required": true
      }
    ],
    "asks": "Resolve {id}?",
    "answer": "PaymentRequest"
  },
  {
    "name": "direct-credit list",
    "says": "List direct credits",
    "example": "--state queued",
    "method": "GET",
    "path": "/v1/direct-credits",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only these states, separated by commas",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "queued",
              "held",
              "sending",
              "needs_review",
              "succeeded",
              "rejected",
              "failed"
            ]
          }
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "query",
        "says": "Only the operation with this reference",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Created at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Created at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Minimum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Maximum amount in XOF",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--transaction-id",
        "field": "transactionId",
        "in": "query",
        "says": "Only the operation with this provider transaction id",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "Only this phone number, in any spelling",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      }
    ],
    "columns": [
      "id",
      "state",
      "amount",
      "accountAlias",
      "transactionId",
      "reference",
      "createdAt"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "DirectCreditList"
  },
  {
    "name": "direct-credit create",
    "says": "Create a direct credit",
    "example": "--to shop-account --amount 10000 --reference order-1042",
    "method": "POST",
    "path": "/v1/direct-credits",
    "takes": [],
    "flags": [
      {
        "flag": "--to",
        "field": "accountAlias",
        "in": "body",
        "says": "Provider account to credit",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64
        },
        "required": true
      },
      {
        "flag": "--amount",
        "field": "amount",
        "in": "body",
        "says": "Amount in whole francs (XOF)",
        "schema": {
          "type": "integer",
          "exclusiveMinimum": 0,
          "maximum": 1000000000000
        },
        "required": true
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "body",
        "says": "Account at the provider. Default: `main`",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "body",
        "says": "Your own reference: the same reference never creates a second operation",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      },
      {
        "flag": "--allow-duplicate",
        "field": "allowDuplicate",
        "in": "body",
        "says": "Allow the same amount to the same account within DUPLICATE_WINDOW",
        "schema": {
          "type": "boolean"
        }
      }
    ],
    "identity": "required",
    "dryRun": true,
    "asks": "Pay {amount} to {accountAlias}?",
    "next": "Follow its progress: relais direct-credit show {id}",
    "answer": "DirectCredit"
  },
  {
    "name": "direct-credit show",
    "says": "Get a direct credit",
    "example": "dcr_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/direct-credits/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "DirectCredit"
  },
  {
    "name": "direct-credit resolve",
    "says": "Resolve a direct credit that needs review",
    "example": "dcr_4n7q0c1w2e3r4t5y6z7a8b9c0d --outcome succeeded --note 'Seen in the dashboard'",
    "method": "POST",
    "path": "/v1/direct-credits/{id}/resolve",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [
      {
        "flag": "--outcome",
        "field": "outcome",
        "in": "body",
        "says": "The final state, or the next action",
        "schema": {
          "type": "string",
          "enum": [
            "succeeded",
            "failed"
          ]
        },
        "required": true
      },
      {
        "flag": "--note",
        "field": "note",
        "in": "body",
        "says": "The evidence for the outcome; stored with the record",
        "schema": {
          "type": "string",
          "minLength": 3,
          "maxLength": 500
        },
        "required": true
      },
      {
        "flag": "--transaction-id",
        "field": "transactionId",
        "in": "body",
        "says": "With `succeeded`: the transaction id of the provider, used by `relais reconcile`",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      }
    ],
    "asks": "Resolve {id}?",
    "answer": "DirectCredit"
  },
  {
    "name": "endpoints create",
    "says": "Register a webhook endpoint",
    "example": "https://shop.example/relais",
    "method": "POST",
    "path": "/v1/event-endpoints",
    "takes": [
      {
        "name": "url",
        "in": "body"
      }
    ],
    "flags": [
      {
        "flag": "--types",
        "field": "types",
        "in": "body",
        "says": "Only events of these types. Absent: all types",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "disbursement.succeeded",
              "disbursement.failed",
              "disbursement.reversed",
              "disbursement.awaiting_approval",
              "disbursement.rejected",
              "disbursement.cancelled",
              "disbursement.needs_review",
              "disbursement.held",
              "message.sent",
              "message.failed",
              "message.unknown",
              "message.expired",
              "message.skipped",
              "campaign.finished",
              "campaign.awaiting_approval",
              "campaign.paused",
              "campaign.cancelled",
              "campaign.held",
              "batch.awaiting_approval",
              "batch.finished",
              "batch.cancelled",
              "batch.needs_review",
              "invoice.completed",
              "invoice.cancelled",
              "invoice.failed",
              "invoice.needs_review",
              "payment_request.completed",
              "payment_request.failed",
              "payment_request.needs_review",
              "payment_request.untracked",
              "direct_credit.succeeded",
              "direct_credit.rejected",
              "direct_credit.failed",
              "direct_credit.needs_review",
              "account.held",
              "account.released",
              "endpoint.disabled",
              "endpoint.tested",
              "intake.rejected",
              "system.recovering",
              "system.recovered"
            ]
          }
        }
      }
    ],
    "next": "Store the secret: it is not shown again. `relais endpoints rotate-secret` creates another.",
    "answer": "EventEndpointWithSecret"
  },
  {
    "name": "endpoints list",
    "says": "List webhook endpoints",
    "example": "",
    "method": "GET",
    "path": "/v1/event-endpoints",
    "takes": [],
    "flags": [],
    "answer": "EventEndpointList"
  },
  {
    "name": "endpoints show",
    "says": "Get a webhook endpoint",
    "example": "ep_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/event-endpoints/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "EventEndpointDetail"
  },
  {
    "name": "endpoints delete",
    "says": "Delete a webhook endpoint",
    "example": "ep_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "DELETE",
    "path": "/v1/event-endpoints/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "asks": "Delete the webhook endpoint {id}?"
  },
  {
    "name": "endpoints replay",
    "says": "Replay events to a webhook endpoint",
    "example": "ep_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/event-endpoints/{id}/replay",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [
      {
        "flag": "--since",
        "field": "since",
        "in": "body",
        "says": "Events from this time on",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--event",
        "field": "event",
        "in": "body",
        "says": "Only the event with this id, as in `deliveries`",
        "schema": {
          "type": "string"
        }
      }
    ],
    "answer": "Replayed"
  },
  {
    "name": "endpoints test",
    "says": "Test a webhook endpoint",
    "example": "ep_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/event-endpoints/{id}/test",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "EndpointTested"
  },
  {
    "name": "endpoints rotate-secret",
    "says": "Rotate the secret of a webhook endpoint. For a day, deliveries are signed with both secrets",
    "example": "ep_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "POST",
    "path": "/v1/event-endpoints/{id}/rotate-secret",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "asks": "Rotate the secret of {id}?",
    "next": "Store the secret: it is not shown again.",
    "answer": "EventEndpointWithSecret"
  },
  {
    "name": "review list",
    "says": "List operations that need review",
    "example": "--kind disbursement",
    "method": "GET",
    "path": "/v1/review",
    "takes": [],
    "flags": [
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page, or the id of an operation in the list",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500
        }
      },
      {
        "flag": "--kind",
        "field": "kind",
        "in": "query",
        "says": "Only operations of this kind",
        "schema": {
          "type": "string",
          "enum": [
            "disbursement",
            "batch",
            "invoice",
            "payment_request",
            "direct_credit"
          ]
        }
      }
    ],
    "next": "Show the reason and the next step: relais review show ID for a disbursement, relais explain ID for any operation",
    "columns": [
      "kind",
      "id",
      "reason",
      "amount",
      "accountAlias",
      "withdrawMode",
      "reference",
      "updatedAt"
    ],
    "none": "No operation needs review.",
    "answer": "ReviewList"
  },
  {
    "name": "search",
    "says": "Search operations by identifier or phone number",
    "example": "'77 123 45 67'",
    "method": "GET",
    "path": "/v1/search",
    "takes": [
      {
        "name": "q",
        "in": "query"
      }
    ],
    "flags": [],
    "next": "Show the timeline of an operation: relais explain ID",
    "columns": [
      "kind",
      "id",
      "state",
      "reference",
      "account",
      "createdAt"
    ],
    "none": "No exact match. Search with the whole identifier.",
    "answer": "Found"
  },
  {
    "name": "campaign texted",
    "says": "Find campaigns by phone number",
    "example": "--phone '77 123 45 67'",
    "method": "GET",
    "path": "/v1/recipients",
    "takes": [],
    "flags": [
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "The phone number, in any spelling",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 200
        }
      }
    ],
    "columns": [
      "campaign",
      "name",
      "state",
      "sentAt",
      "code",
      "account",
      "createdAt"
    ],
    "answer": "TextedList"
  },
  {
    "name": "explain",
    "says": "Explain an operation or a reason",
    "example": "dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/explain/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Explanation"
  },
  {
    "name": "callback",
    "says": "Get the last callback for an operation",
    "example": "ep_4n7q0c1w2e3r4t5y6z7a8b9c0d",
    "method": "GET",
    "path": "/v1/callbacks/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Callback"
  },
  {
    "name": "status",
    "says": "Get the deployment status",
    "example": "",
    "method": "GET",
    "path": "/v1/status",
    "takes": [],
    "flags": [],
    "answer": "Status"
  },
  {
    "name": "queues list",
    "says": "List queues",
    "example": "",
    "method": "GET",
    "path": "/v1/queues",
    "takes": [],
    "flags": [],
    "answer": "QueueList"
  },
  {
    "name": "queues pause",
    "says": "Pause a queue",
    "example": "disbursement",
    "method": "POST",
    "path": "/v1/queues/{name}/pause",
    "takes": [
      {
        "name": "name",
        "in": "path"
      }
    ],
    "flags": [],
    "asks": "Pause the queue {name}, for all accounts?",
    "next": "Resume it with: relais queues resume {name}",
    "answer": "QueueList"
  },
  {
    "name": "queues resume",
    "says": "Resume a queue",
    "example": "disbursement",
    "method": "POST",
    "path": "/v1/queues/{name}/resume",
    "takes": [
      {
        "name": "name",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "QueueList"
  },
  {
    "name": "intake list",
    "says": "List refused intake jobs",
    "example": "",
    "method": "GET",
    "path": "/v1/intake",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "The state of the jobs. Only refused jobs are listed",
        "schema": {
          "type": "string",
          "enum": [
            "rejected"
          ]
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        }
      }
    ],
    "none": "No job was refused in the last 30 days.",
    "answer": "IntakeList"
  },
  {
    "name": "account list",
    "says": "List accounts and their holds",
    "example": "",
    "method": "GET",
    "path": "/v1/accounts",
    "takes": [],
    "flags": [],
    "answer": "AccountList"
  },
  {
    "name": "account stop",
    "says": "Stop all disbursements of an account. Submitted disbursements are still checked",
    "example": "main",
    "method": "POST",
    "path": "/v1/accounts/{name}/stop",
    "takes": [
      {
        "name": "name",
        "in": "path"
      }
    ],
    "flags": [],
    "asks": "Stop all disbursements of the account {name}?",
    "next": "Release it with: relais account release {name}",
    "answer": "Account"
  },
  {
    "name": "account release",
    "says": "Release all holds of an account. It is held again if the cause persists",
    "example": "main",
    "method": "POST",
    "path": "/v1/accounts/{name}/release",
    "takes": [
      {
        "name": "name",
        "in": "path"
      }
    ],
    "flags": [],
    "answer": "Account"
  },
  {
    "name": "secrets rotate",
    "says": "Re-encrypt stored secrets with the newest key",
    "example": "",
    "method": "POST",
    "path": "/v1/secrets/rotate",
    "takes": [],
    "flags": [],
    "next": "If no secret is unreadable, remove the older keys from SEALING_SECRET. For an endpoint with an unreadable secret, run relais endpoints rotate-secret.",
    "answer": "Resealed"
  },
  {
    "name": "keys create",
    "says": "Create an API key",
    "example": "--name awa-phone --roles read,approve --person awa --accounts main",
    "method": "POST",
    "path": "/v1/keys",
    "takes": [],
    "flags": [
      {
        "flag": "--name",
        "field": "name",
        "in": "body",
        "says": "Name of the key in the audit log",
        "schema": {
          "type": "string"
        },
        "required": true
      },
      {
        "flag": "--roles",
        "field": "roles",
        "in": "body",
        "says": "Roles of the key; `admin` includes no other role",
        "schema": {
          "type": "array",
          "items": {
            "enum": [
              "enqueue",
              "read",
              "approve",
              "operate",
              "admin"
            ]
          }
        },
        "required": true
      },
      {
        "flag": "--accounts",
        "field": "accounts",
        "in": "body",
        "says": "Only these accounts. Default: all accounts",
        "schema": {
          "type": "array",
          "items": {}
        }
      },
      {
        "flag": "--person",
        "field": "person",
        "in": "body",
        "says": "Person who holds the key: for approvals, two keys of one person count as one. Give this or `service`",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--service",
        "field": "service",
        "in": "body",
        "says": "Program that uses the key",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--expires-at",
        "field": "expiresAt",
        "in": "body",
        "says": "Expiry time of the key. Default: valid until it is revoked",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      }
    ],
    "next": "Store the secret: it is not shown again.",
    "answer": "ApiKeyWithSecret"
  },
  {
    "name": "keys list",
    "says": "List API keys",
    "example": "",
    "method": "GET",
    "path": "/v1/keys",
    "takes": [],
    "flags": [],
    "columns": [
      "id",
      "name",
      "roles",
      "person",
      "service",
      "expiresAt",
      "revokedAt"
    ],
    "answer": "ApiKeyList"
  },
  {
    "name": "keys revoke",
    "says": "Revoke an API key",
    "example": "key_0f6c8d4b2a1e49578c3d",
    "method": "DELETE",
    "path": "/v1/keys/{id}",
    "takes": [
      {
        "name": "id",
        "in": "path"
      }
    ],
    "flags": [],
    "asks": "Revoke the key {id}?"
  },
  {
    "name": "audit list",
    "says": "List audit log entries",
    "example": "",
    "method": "GET",
    "path": "/v1/audit",
    "takes": [],
    "flags": [
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        }
      }
    ],
    "columns": [
      "at",
      "by",
      "person",
      "act",
      "target",
      "before",
      "after"
    ],
    "answer": "AuditPage"
  },
  {
    "name": "balances",
    "says": "List provider balances by country",
    "example": "--account main",
    "method": "GET",
    "path": "/v1/balances/{accountNumber}",
    "takes": [
      {
        "name": "accountNumber",
        "in": "path"
      }
    ],
    "flags": [
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Name of the account",
        "schema": {
          "type": "string"
        }
      }
    ],
    "answer": "Balances",
    "pathWithout": "/v1/balances"
  },
  {
    "name": "report daily",
    "says": "Get the daily report",
    "example": "--date 2026-11-22",
    "method": "GET",
    "path": "/v1/reports/daily",
    "takes": [],
    "flags": [
      {
        "flag": "--date",
        "field": "date",
        "in": "query",
        "says": "The day, such as 2026-11-22. Default: today",
        "schema": {
          "type": "string",
          "format": "date"
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      }
    ],
    "files": [
      "text/csv",
      "text/html"
    ],
    "answer": "DailyReport"
  },
  {
    "name": "report balances",
    "says": "List recorded balances",
    "example": "--from 2026-11-01T00:00:00Z",
    "method": "GET",
    "path": "/v1/reports/balances",
    "takes": [],
    "flags": [
      {
        "flag": "--from",
        "field": "from",
        "in": "query",
        "says": "Recorded at this time or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--to",
        "field": "to",
        "in": "query",
        "says": "Recorded at this time or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the previous page",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "Maximum number of results",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        }
      }
    ],
    "columns": [
      "at",
      "account",
      "balances"
    ],
    "files": [
      "text/csv"
    ],
    "answer": "BalancesSeen"
  }
];
