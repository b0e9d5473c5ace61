/** Texts for users, in English. French must have the same keys (`french.ts`); the compiler checks this. */
import type { Whole } from './said.ts';
import { englishBatch } from './english-batch.ts';
import { englishCampaign } from './english-campaign.ts';
import { englishCommands } from './english-commands.ts';
import { englishDoctor } from './english-doctor.ts';
import { englishFile } from './english-file.ts';
import { englishFigures, englishShell } from './english-shell.ts';
import { englishStatus } from './english-status.ts';

export const english = {
  batch: englishBatch,
  campaign: englishCampaign,
  commands: englishCommands,
  doctor: englishDoctor,
  file: englishFile,
  figures: englishFigures,
  shell: englishShell,
  /** Names in lists; the API uses the state names. */
  states: {
    awaiting_approval: 'awaiting_approval',
    queued: 'queued',
    held: 'held',
    created: 'created',
    submitting: 'submitting',
    unknown: 'unknown',
    pending: 'pending',
    needs_review: 'needs_review',
    succeeded: 'succeeded',
    failed: 'failed',
    reversed: 'reversed',
    rejected: 'rejected',
    cancelled: 'cancelled',
    sending: 'sending',
    sent: 'sent',
    skipped: 'skipped',
    expired: 'expired',
    draft: 'draft',
    ready: 'ready',
    scheduled: 'scheduled',
    running: 'running',
    paused: 'paused',
    finished: 'finished',
    invalid: 'invalid',
    creating: 'creating',
    completed: 'completed',
  },
  status: englishStatus,
  stop: {
    title: 'Stop these SMS',
    ask: 'You opened the link of an SMS. Press the button to get no more SMS from this sender.',
    nothingYet: 'Nothing changes until you press the button. You still get the codes that you request yourself.',
    button: 'No more SMS from this sender',
    doneTitle: 'Done',
    done: 'The sender will send no more SMS to the number that received this link. An SMS that is on its way can still arrive.',
    unknownTitle: 'This link is not valid',
    unknown:
      'Nothing was stored: the link is incomplete or too old. Open the link in the SMS again, or ask the sender to remove your number.',
    laterTitle: 'Not yet',
    later: 'Nothing was changed, because there are too many requests now. Please press the button again in a minute.',
    otherLanguage: 'En français',
  },
  /** The sandbox page on which a test payer pays. */
  payer: {
    title: 'Payment (sandbox)',
    sandbox: 'This is the sandbox: no money moves.',
    pay: (amount: string) => `Pay ${amount}`,
    cancel: 'Cancel',
    fail: 'Let it fail',
    receipt: 'Receipt (PDF)',
    asked: 'Payment request',
    strange: 'There is nothing to pay at this address.',
    states: {
      pending: 'Waiting for the payment.',
      completed: 'Paid.',
      cancelled: 'Cancelled; it can still be paid.',
      failed: 'Failed; it can still be paid.',
    },
  },
  dev: {
    title: 'This machine runs relais: a sandbox takes the place of the provider, and no money moves.',
    labels: {
      console: 'Console',
      key: 'Keys',
      api: 'API',
      sandbox: 'Sandbox',
      redis: 'Redis',
      database: 'PostgreSQL',
      metrics: 'Metrics',
    },
    keys: 'dev (asks and pays)  checker (approves)  root (administers)',
    stop: 'Ctrl-C stops it. Its data is deleted then.',
  },
  init: {
    hello: 'Nothing is sent anywhere. Leave empty what you do not know yet; it can be filled in later.',
    asks: {
      DATABASE_URL: 'PostgreSQL database, postgres://user:password@host:port/database (not shown)',
      SERVICE_BASE_URL: 'Address of the payment provider; empty: no payments',
      SERVICE_MASTER_KEY: 'Its main key (not shown)',
      SERVICE_PRIVATE_KEY: 'Its private key (not shown)',
      SERVICE_TOKEN: 'Its token (not shown)',
      SERVICE_CRM_URL: 'Address of the SMS provider; empty: no SMS',
      SMS_USER_KEY: 'Its user key (not shown)',
      SMS_SECRET_KEY: 'Its secret key (not shown)',
      SMS_APP_KEY: 'Its application key (not shown)',
      SMS_SENDER: 'Sender ID that recipients see',
      DEFAULT_COUNTRY: 'Country of numbers without a code, such as SN or CI',
      PUBLIC_URL: 'Address at which the provider reaches you, https://…',
    },
    written: (file: string) => `${file} is written, for your eyes only (0600). Its secrets were made here.`,
    leftOpen: (names: string) => `Left to be filled in, as far as you need it: ${names}`,
    next: (file: string) => `Next: set -a; . ${file}; set +a; relais doctor`,
    thereAlready: (file: string) => `${file} exists already and was not changed.`,
    removeIt: 'Its secrets may be in use. Give another file with --file, or move this file away.',
    cannotWrite: (file: string, code: string) => `${file} cannot be written (${code}).`,
    writeElsewhere: 'Name another place with --file, in a folder that is there and that you may write to.',
    head: [
      'Made by relais init. This file allows payments and SMS in your name: keep it out of git and of mails.',
      'For a shell: set -a; . ./.env; set +a    docker compose reads it by itself.',
    ],
    keep: 'Keep these two: with other values, relais refuses the callbacks of pending operations and cannot decrypt stored secrets.',
    keys: [
      'Who may ask. service: your programs. operator: people who run campaigns and queues. approver: a second person,',
      'since a different person must approve each request. Give each of them only their own key.',
    ],
    commands: 'The key that is used by the commands here.',
    service: 'The real service. Without these, docker compose talks to the sandbox.',
  },
} as const;

/** The keys that every language must have: exactly those of English. */
export type Words = Whole<typeof english>;
