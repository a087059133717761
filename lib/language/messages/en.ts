// English texts, which define the type of all other languages. A key names the meaning of a text. `{name}` is an
// argument of a message (ICU MessageFormat).
import { accountEn } from './en/account.ts';
import { consoleEn } from './en/console.ts';
import { deviceEn } from './en/device.ts';
import { errorsEn } from './en/errors.ts';
import { mailsEn } from './en/mails.ts';
import { myEn } from './en/my.ts';
import { pagesEn } from './en/pages.ts';
import { refusalsEn } from './en/refusals.ts';
import { registerEn } from './en/register.ts';
import { securityEn } from './en/security.ts';
import { siteEn } from './en/site.ts';

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
