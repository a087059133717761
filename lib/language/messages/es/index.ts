import type { Messages } from '../types.ts';
import { accountEs } from './account.ts';
import { consoleEs } from './console.ts';
import { deviceEs } from './device.ts';
import { errorsEs } from './errors.ts';
import { mailsEs } from './mails.ts';
import { myEs } from './my.ts';
import { pagesEs } from './pages.ts';
import { refusalsEs } from './refusals.ts';
import { registerEs } from './register.ts';
import { securityEs } from './security.ts';
import { siteEs } from './site.ts';

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
