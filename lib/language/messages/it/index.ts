import type { Messages } from '../types.ts';
import { accountIt } from './account.ts';
import { consoleIt } from './console.ts';
import { deviceIt } from './device.ts';
import { errorsIt } from './errors.ts';
import { mailsIt } from './mails.ts';
import { myIt } from './my.ts';
import { pagesIt } from './pages.ts';
import { refusalsIt } from './refusals.ts';
import { registerIt } from './register.ts';
import { securityIt } from './security.ts';
import { siteIt } from './site.ts';

export const it: Messages = {
  ...securityIt,
  ...myIt,
  ...consoleIt,
  ...deviceIt,
  ...accountIt,
  ...pagesIt,
  ...errorsIt,
  ...mailsIt,
  ...refusalsIt,
  ...registerIt,
  ...siteIt,
};
