import type { Messages } from '../types.ts';
import { accountAr } from './account.ts';
import { consoleAr } from './console.ts';
import { deviceAr } from './device.ts';
import { errorsAr } from './errors.ts';
import { mailsAr } from './mails.ts';
import { myAr } from './my.ts';
import { pagesAr } from './pages.ts';
import { refusalsAr } from './refusals.ts';
import { registerAr } from './register.ts';
import { securityAr } from './security.ts';
import { siteAr } from './site.ts';

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
