import { accountAr } from './ar/account.ts';
import { consoleAr } from './ar/console.ts';
import { deviceAr } from './ar/device.ts';
import { errorsAr } from './ar/errors.ts';
import { mailsAr } from './ar/mails.ts';
import { myAr } from './ar/my.ts';
import { pagesAr } from './ar/pages.ts';
import { refusalsAr } from './ar/refusals.ts';
import { registerAr } from './ar/register.ts';
import { securityAr } from './ar/security.ts';
import { siteAr } from './ar/site.ts';
import type { Messages } from './types.ts';

export const ar: Messages = {
  ...securityAr,
  ...myAr,
  ...consoleAr,
  ...deviceAr,
  ...accountAr,
  ...pagesAr,
  ...errorsAr,
  ...mailsAr,
  ...refusalsAr,
  ...registerAr,
  ...siteAr,
};
