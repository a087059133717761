import { accountIt } from './it/account.ts';
import { consoleIt } from './it/console.ts';
import { deviceIt } from './it/device.ts';
import { errorsIt } from './it/errors.ts';
import { mailsIt } from './it/mails.ts';
import { myIt } from './it/my.ts';
import { pagesIt } from './it/pages.ts';
import { refusalsIt } from './it/refusals.ts';
import { registerIt } from './it/register.ts';
import { securityIt } from './it/security.ts';
import { siteIt } from './it/site.ts';
import type { Messages } from './types.ts';

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
