import type { Words } from '#lib/language/words.ts';

/**
 * What a script says beside the field of a new password. `more`: by the number of characters that are missing, from
 * none to all.
 */
export type NewPasswordWords = {
  show: string;
  hide: string;
  more: string[];
  weak: string;
  fair: string;
  good: string;
  strong: string;
};

export const newPasswordWords = ({ t }: Words, least: number): NewPasswordWords => ({
  show: t('new_password.show'),
  hide: t('new_password.hide'),
  more: Array.from({ length: least + 1 }, (_, count) => t('new_password.more', { count })),
  weak: t('new_password.weak'),
  fair: t('new_password.fair'),
  good: t('new_password.good'),
  strong: t('new_password.strong'),
});
