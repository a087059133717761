import { accountEs } from './es/account.ts';
import { consoleEs } from './es/console.ts';
import { deviceEs } from './es/device.ts';
import { errorsEs } from './es/errors.ts';
import { mailsEs } from './es/mails.ts';
import { myEs } from './es/my.ts';
import { pagesEs } from './es/pages.ts';
import { refusalsEs } from './es/refusals.ts';
import { registerEs } from './es/register.ts';
import { securityEs } from './es/security.ts';
import { siteEs } from './es/site.ts';
import type { Messages } from './types.ts';

export const es: Messages = {
  ...securityEs,
  ...myEs,
  ...consoleEs,
  ...deviceEs,
  ...accountEs,
  ...pagesEs,
  ...errorsEs,
  ...mailsEs,
  ...refusalsEs,
  ...registerEs,
  ...siteEs,
};
