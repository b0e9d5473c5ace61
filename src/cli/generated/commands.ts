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
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state awaiting_approval",
    "method": "GET",
    "path": "/v1/disbursements",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "The one that the caller gave this name",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Of so many XOF, or more",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Of so many XOF, or less",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--token",
        "field": "token",
        "in": "query",
        "says": "The one that the service calls by this token",
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
        "says": "The one that the service calls by this transaction",
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
        "says": "Only rows of this batch",
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
        "says": "Of this telephone number, however it is spelt",
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
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "Pay one person, at most once per reference",
    "example": "--to 771234567 --amount 25000 --mode wallet-a-senegal --reference order-1042",
    "method": "POST",
    "path": "/v1/disbursements",
    "takes": [],
    "flags": [
      {
        "flag": "--to",
        "field": "accountAlias",
        "in": "body",
        "says": "Beneficiary's phone number without country code, or the service account id for `service`",
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
        "says": "Whole francs (XOF)",
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
        "says": "The channel it is paid through",
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
        "says": "Only with `service`: the balance to debit",
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
        "says": "The account of the service that does it; `main` where none is named",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "body",
        "says": "Your own name for it: the same one never makes a second",
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
        "says": "Not paid before this time",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--allow-duplicate",
        "field": "allowDuplicate",
        "in": "body",
        "says": "The same amount to the same beneficiary within DUPLICATE_WINDOW is meant",
        "schema": {
          "type": "boolean"
        }
      },
      {
        "flag": "--allow-unusual-number",
        "field": "allowUnusualNumber",
        "in": "body",
        "says": "The number is right, though numbers of the country of the mode have another length",
        "schema": {
          "type": "boolean"
        }
      }
    ],
    "identity": "required",
    "dryRun": true,
    "asks": "Pay {amount} to {accountAlias}?",
    "next": "How it goes on: relais disburse show {id}",
    "answer": "Disbursement"
  },
  {
    "name": "disburse show",
    "says": "Where one stands, and what the service said about it",
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
    "says": "Call it back before anything was sent",
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
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state invalid",
    "method": "GET",
    "path": "/v1/disbursement-batches",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "How far it has come",
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
    "says": "Drop it before it is approved",
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
    "name": "campaign list",
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state draft",
    "method": "GET",
    "path": "/v1/campaigns",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "The one that the caller gave this name",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "Stop sending for now. What is on its way arrives",
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
    "says": "Go on. An account that is held for messaging is tried again",
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
    "says": "Stop for good. What was not sent yet will not be",
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
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state queued",
    "method": "GET",
    "path": "/v1/messages",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "The one that the caller gave this name",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "Of this telephone number, however it is spelt",
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
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "Where one stands",
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
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state creating",
    "method": "GET",
    "path": "/v1/invoices",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "The one that the caller gave this name",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Of so many XOF, or more",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Of so many XOF, or less",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--token",
        "field": "token",
        "in": "query",
        "says": "The one that the service calls by this token",
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
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "Where one stands",
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
    "says": "Ask the service now whether it was paid",
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
    "says": "A person's word about one that needs review",
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
        "says": "What became of it, or what is to be done",
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
        "says": "How it is known; kept with the record",
        "schema": {
          "type": "string",
          "minLength": 3,
          "maxLength": 500
        },
        "required": true
      }
    ],
    "asks": "Decide {id}?",
    "answer": "Invoice"
  },
  {
    "name": "payment-request list",
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state creating",
    "method": "GET",
    "path": "/v1/payment-requests",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "The one that the caller gave this name",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Of so many XOF, or more",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Of so many XOF, or less",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "Of this telephone number, however it is spelt",
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
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "Ask somebody to pay, by a link",
    "example": "--amount 5000 --fees-paid-by customer --reference order-1042",
    "method": "POST",
    "path": "/v1/payment-requests",
    "takes": [],
    "flags": [
      {
        "flag": "--amount",
        "field": "amount",
        "in": "body",
        "says": "Whole francs (XOF), 200 to 3000000",
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
        "says": "Of the payer",
        "schema": {
          "type": "string",
          "maxLength": 254
        }
      },
      {
        "flag": "--phone",
        "field": "phone",
        "in": "body",
        "says": "Of the payer, in international form",
        "schema": {
          "type": "string",
          "maxLength": 32
        }
      },
      {
        "flag": "--fees-paid-by",
        "field": "feesPaidBy",
        "in": "body",
        "says": "Who pays the fees",
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
        "says": "true: the service sends SMS and e-mail itself, and the request can never be looked at again",
        "schema": {
          "type": "boolean"
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "body",
        "says": "The account of the service that does it; `main` where none is named",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "body",
        "says": "Your own name for it: the same one never makes a second",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      }
    ],
    "identity": "required",
    "dryRun": true,
    "next": "How it goes on: relais payment-request show {id}",
    "answer": "PaymentRequest"
  },
  {
    "name": "payment-request show",
    "says": "Where one stands",
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
    "says": "Ask the service now whether it was paid",
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
    "says": "A person's word about one that needs review",
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
        "says": "What became of it, or what is to be done",
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
        "says": "How it is known; kept with the record",
        "schema": {
          "type": "string",
          "minLength": 3,
          "maxLength": 500
        },
        "required": true
      }
    ],
    "asks": "Decide {id}?",
    "answer": "PaymentRequest"
  },
  {
    "name": "direct-credit list",
    "says": "List them, the newest first; as CSV with `Accept: text/csv`",
    "example": "--state queued",
    "method": "GET",
    "path": "/v1/direct-credits",
    "takes": [],
    "flags": [
      {
        "flag": "--state",
        "field": "state",
        "in": "query",
        "says": "Only in this state, or in one of several, separated by commas",
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
        "says": "The one that the caller gave this name",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--created-from",
        "field": "createdFrom",
        "in": "query",
        "says": "Asked for at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--created-to",
        "field": "createdTo",
        "in": "query",
        "says": "Asked for at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--amount-min",
        "field": "amountMin",
        "in": "query",
        "says": "Of so many XOF, or more",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--amount-max",
        "field": "amountMax",
        "in": "query",
        "says": "Of so many XOF, or less",
        "schema": {
          "type": "integer",
          "minimum": 0
        }
      },
      {
        "flag": "--transaction-id",
        "field": "transactionId",
        "in": "query",
        "says": "The one that the service calls by this transaction",
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
        "says": "Of this telephone number, however it is spelt",
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
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "Credit an account of the service",
    "example": "--to shop-account --amount 10000 --reference order-1042",
    "method": "POST",
    "path": "/v1/direct-credits",
    "takes": [],
    "flags": [
      {
        "flag": "--to",
        "field": "accountAlias",
        "in": "body",
        "says": "The account of the service that is credited",
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
        "says": "Whole francs (XOF)",
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
        "says": "The account of the service that does it; `main` where none is named",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--reference",
        "field": "reference",
        "in": "body",
        "says": "Your own name for it: the same one never makes a second",
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
        "says": "The same amount to the same account within DUPLICATE_WINDOW is meant",
        "schema": {
          "type": "boolean"
        }
      }
    ],
    "identity": "required",
    "dryRun": true,
    "asks": "Pay {amount} to {accountAlias}?",
    "next": "How it goes on: relais direct-credit show {id}",
    "answer": "DirectCredit"
  },
  {
    "name": "direct-credit show",
    "says": "Where one stands",
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
    "says": "A person's word about one that needs review",
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
        "says": "What became of it, or what is to be done",
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
        "says": "How it is known; kept with the record",
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
        "says": "With `succeeded`: what the service calls it, so that its statement fits (`relais reconcile`)",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128
        }
      }
    ],
    "asks": "Decide {id}?",
    "answer": "DirectCredit"
  },
  {
    "name": "endpoints create",
    "says": "Have events posted to an address of yours",
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
        "says": "Only events of these types; absent: all",
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
              "system.recovering",
              "system.recovered"
            ]
          }
        }
      }
    ],
    "next": "Keep the secret: it is not shown again. `relais endpoints rotate-secret` makes another.",
    "answer": "EventEndpointWithSecret"
  },
  {
    "name": "endpoints list",
    "says": "List the endpoints of this key",
    "example": "",
    "method": "GET",
    "path": "/v1/event-endpoints",
    "takes": [],
    "flags": [],
    "answer": "EventEndpointList"
  },
  {
    "name": "endpoints show",
    "says": "How its deliveries go",
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
    "says": "Post nothing more to it",
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
    "asks": "Post no more events to {id}?"
  },
  {
    "name": "endpoints replay",
    "says": "Post what it wants of the events since then, or one of them, again",
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
        "says": "From when on",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--event",
        "field": "event",
        "in": "body",
        "says": "Only this one, by its id, as `deliveries` tells it",
        "schema": {
          "type": "string"
        }
      }
    ],
    "answer": "Replayed"
  },
  {
    "name": "endpoints test",
    "says": "Post a test to it at this moment, and tell what it answered",
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
    "says": "Make another secret. For a day deliveries are signed with both",
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
    "asks": "Make a new secret for {id}?",
    "next": "Keep the secret: it is not shown again.",
    "answer": "EventEndpointWithSecret"
  },
  {
    "name": "review list",
    "says": "All that wait for a person, the oldest first, a page at a time",
    "example": "--kind disbursement",
    "method": "GET",
    "path": "/v1/review",
    "takes": [],
    "flags": [
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the page before, or the id of one that waits",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
        "says": "Only these",
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
    "next": "Why, and what to do: relais review show ID, or relais explain ID for another kind than a disbursement",
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
    "none": "Nothing needs review.",
    "answer": "ReviewList"
  },
  {
    "name": "search",
    "says": "What has this id, reference, name at the service, or telephone number",
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
    "next": "The whole story of one: relais explain ID",
    "columns": [
      "kind",
      "id",
      "state",
      "reference",
      "account",
      "createdAt"
    ],
    "none": "Nothing here has exactly this name. Part of a name finds nothing.",
    "answer": "Found"
  },
  {
    "name": "campaign texted",
    "says": "Which campaigns were to text a number, and how that ended, the newest campaign first",
    "example": "--phone '77 123 45 67'",
    "method": "GET",
    "path": "/v1/recipients",
    "takes": [],
    "flags": [
      {
        "flag": "--phone",
        "field": "phone",
        "in": "query",
        "says": "The number, however it is spelt",
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
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "The story of any operation, or what a reason means, in plain words",
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
    "says": "What the service posted to us about an operation, last",
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
    "says": "What stands where, on one screen",
    "example": "",
    "method": "GET",
    "path": "/v1/status",
    "takes": [],
    "flags": [],
    "answer": "Status"
  },
  {
    "name": "queues list",
    "says": "What stands where",
    "example": "",
    "method": "GET",
    "path": "/v1/queues",
    "takes": [],
    "flags": [],
    "answer": "QueueList"
  },
  {
    "name": "queues pause",
    "says": "Let no worker take from a queue; what is at work goes on",
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
    "next": "To let it go on: relais queues resume {name}",
    "answer": "QueueList"
  },
  {
    "name": "queues resume",
    "says": "Let workers take from it again",
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
    "name": "account list",
    "says": "Which accounts there are, and what holds them",
    "example": "",
    "method": "GET",
    "path": "/v1/accounts",
    "takes": [],
    "flags": [],
    "answer": "AccountList"
  },
  {
    "name": "account stop",
    "says": "Send no more money of this account until it is released; what was submitted is still looked at",
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
    "next": "To let it go on: relais account release {name}",
    "answer": "Account"
  },
  {
    "name": "account release",
    "says": "Let an account go on, whatever it was held for; it is held again if the cause has not cleared",
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
    "says": "Seal what is kept sealed with the newest secret",
    "example": "",
    "method": "POST",
    "path": "/v1/secrets/rotate",
    "takes": [],
    "flags": [],
    "next": "Where nothing is unreadable, the older ones can be taken out of SEALING_SECRET now; an endpoint that is needs another: relais endpoints rotate-secret.",
    "answer": "Resealed"
  },
  {
    "name": "keys create",
    "says": "Make a key, for a person or a service. Every process knows it within three seconds",
    "example": "--name awa-phone --roles read,approve --person awa --accounts main",
    "method": "POST",
    "path": "/v1/keys",
    "takes": [],
    "flags": [
      {
        "flag": "--name",
        "field": "name",
        "in": "body",
        "says": "What it is called in the audit",
        "schema": {
          "type": "string"
        },
        "required": true
      },
      {
        "flag": "--roles",
        "field": "roles",
        "in": "body",
        "says": "What it may do; `admin` implies no other",
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
        "says": "Only these accounts; absent: all",
        "schema": {
          "type": "array",
          "items": {}
        }
      },
      {
        "flag": "--person",
        "field": "person",
        "in": "body",
        "says": "Whose it is: two keys of one person are one where another must decide. This or `service`",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--service",
        "field": "service",
        "in": "body",
        "says": "The program that it is for",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--expires-at",
        "field": "expiresAt",
        "in": "body",
        "says": "From when on it is none. Absent: until it is revoked",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      }
    ],
    "next": "Keep the secret: it is not shown again.",
    "answer": "ApiKeyWithSecret"
  },
  {
    "name": "keys list",
    "says": "All keys: those of the settings, those that were made, and those that were revoked. No secrets",
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
    "says": "End a key, in every process within three seconds",
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
    "says": "Who did what, the newest first",
    "example": "",
    "method": "GET",
    "path": "/v1/audit",
    "takes": [],
    "flags": [
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
    "says": "What is left, roughly, by country",
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
        "says": "The name of the account",
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
    "says": "What a day came to, by account and country; as CSV, or as a page to print, by `Accept`",
    "example": "--date 2026-11-22",
    "method": "GET",
    "path": "/v1/reports/daily",
    "takes": [],
    "flags": [
      {
        "flag": "--date",
        "field": "date",
        "in": "query",
        "says": "The day, as 2026-11-22. Absent: today",
        "schema": {
          "type": "string",
          "format": "date"
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only of this account",
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
    "says": "What was left over time, the newest first; as CSV by `Accept`",
    "example": "--from 2026-11-01T00:00:00Z",
    "method": "GET",
    "path": "/v1/reports/balances",
    "takes": [],
    "flags": [
      {
        "flag": "--from",
        "field": "from",
        "in": "query",
        "says": "Seen at this time, or later",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--to",
        "field": "to",
        "in": "query",
        "says": "Seen at this time, or before",
        "schema": {
          "type": "string",
          "format": "date-time"
        }
      },
      {
        "flag": "--account",
        "field": "account",
        "in": "query",
        "says": "Only of this account",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--after",
        "field": "after",
        "in": "query",
        "says": "`next` of the page before",
        "schema": {
          "type": "string"
        }
      },
      {
        "flag": "--limit",
        "field": "limit",
        "in": "query",
        "says": "How many at most",
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
