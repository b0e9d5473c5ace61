import type { CampaignInput, DisbursementInput, MessageInput, Referenced } from '../../src/producer/inputs.ts';

/** Complete default requests; a test sets only the relevant fields. */
export const aDisbursement = (more: Partial<Referenced<DisbursementInput>> = {}): Referenced<DisbursementInput> => ({
  accountAlias: '771234567',
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  reference: 'order-1',
  ...more,
});

export const aMessage = (more: Partial<MessageInput> = {}): MessageInput => ({
  to: '+221771234567',
  text: 'Bonjour',
  ...more,
});

export const aCampaign = (more: Partial<Referenced<CampaignInput>> = {}): Referenced<CampaignInput> => ({
  name: 'November',
  text: 'Bonjour {{prenom}}',
  reference: 'campaign-1',
  ...more,
});

/** Distinct numbers. */
export const numberOf = (index: number): string => `+22177${String(1_000_000 + index)}`;
