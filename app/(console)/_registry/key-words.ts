import type { KeyListing } from '#lib/management/index.ts';

type Tone = 'good' | 'waiting' | 'refused' | 'neutral';

export const KEY_STATES: Record<KeyListing['state'], [tone: Tone, word: string, means: string]> = {
  signs: ['good', 'signs', 'New tokens are signed with it.'],
  next: ['waiting', 'next', 'It is published already, so that everybody knows it before it signs.'],
  verifies: ['neutral', 'verifies', 'It signs nothing new; tokens that it signed are still good.'],
  expired: ['neutral', 'over', 'Every token that it signed has expired.'],
  retired: ['refused', 'retired', 'It was taken out; its tokens are refused.'],
};
