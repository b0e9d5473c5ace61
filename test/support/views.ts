/** The parts of answers of our API and of the sandbox that stories and the demo read. */
import type { CampaignTotals } from '../../src/cli/progress.ts';

export interface CampaignView {
  readonly id: string;
  readonly state: string;
  readonly totals: CampaignTotals;
  readonly reason: string | null;
  readonly rate: number;
}

export interface RecipientView {
  readonly to: string;
  /** Spreadsheet numbering: the header is row 1. */
  readonly row: number;
  readonly state: string;
}

export interface DisbursementView {
  readonly id: string;
  readonly state: string;
  readonly reference: string | null;
}

export interface UploadReport {
  readonly recipients: number;
  readonly skipped: number;
  readonly countries: Readonly<Record<string, { readonly recipients: number }>>;
}

export interface EventPage {
  readonly events: readonly {
    readonly type: string;
    readonly data: { readonly id: string; readonly reference?: string };
  }[];
  readonly next: string;
}

export interface BookedDisbursement {
  readonly accountAlias: string;
  /** XOF. */
  readonly amount: number;
  readonly withdrawMode: string;
  readonly status: string;
  readonly submits: number;
  readonly effects: number;
}

export interface BookedMessage {
  readonly to: string;
  readonly text: string;
  readonly times: number;
}

export interface BooksSummary {
  readonly messagesSent: number;
  readonly messagesRepeated: number;
  readonly effects: number;
  readonly doubleEffects: number;
  readonly callbacks: number;
  readonly logins: number;
  readonly breaches: number;
  readonly requests: Readonly<Record<string, number>>;
}
