import type { Messages } from '../types.ts';
import { accountJa } from './account.ts';
import { consoleJa } from './console.ts';
import { deviceJa } from './device.ts';
import { errorsJa } from './errors.ts';
import { mailsJa } from './mails.ts';
import { myJa } from './my.ts';
import { pagesJa } from './pages.ts';
import { refusalsJa } from './refusals.ts';
import { registerJa } from './register.ts';
import { securityJa } from './security.ts';
import { siteJa } from './site.ts';

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
