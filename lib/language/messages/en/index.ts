// English, which the other languages are typed by. Keys name the meaning; `{name}` is an argument of a message (ICU
// MessageFormat).
import { accountEn } from './account.ts';
import { consoleEn } from './console.ts';
import { deviceEn } from './device.ts';
import { errorsEn } from './errors.ts';
import { mailsEn } from './mails.ts';
import { myEn } from './my.ts';
import { pagesEn } from './pages.ts';
import { refusalsEn } from './refusals.ts';
import { registerEn } from './register.ts';
import { securityEn } from './security.ts';
import { siteEn } from './site.ts';

export const en = {
  ...securityEn,
  ...myEn,
  ...consoleEn,
  ...deviceEn,
  ...accountEn,
  ...pagesEn,
  ...errorsEn,
  ...mailsEn,
  ...refusalsEn,
  ...registerEn,
  ...siteEn,
};
