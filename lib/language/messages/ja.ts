import { accountJa } from './ja/account.ts';
import { consoleJa } from './ja/console.ts';
import { deviceJa } from './ja/device.ts';
import { errorsJa } from './ja/errors.ts';
import { mailsJa } from './ja/mails.ts';
import { myJa } from './ja/my.ts';
import { pagesJa } from './ja/pages.ts';
import { refusalsJa } from './ja/refusals.ts';
import { registerJa } from './ja/register.ts';
import { securityJa } from './ja/security.ts';
import { siteJa } from './ja/site.ts';
import type { Messages } from './types.ts';

export const ja: Messages = {
  ...securityJa,
  ...myJa,
  ...consoleJa,
  ...deviceJa,
  ...accountJa,
  ...pagesJa,
  ...errorsJa,
  ...mailsJa,
  ...refusalsJa,
  ...registerJa,
  ...siteJa,
};
