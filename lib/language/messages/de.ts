import { accountDe } from './de/account.ts';
import { consoleDe } from './de/console.ts';
import { deviceDe } from './de/device.ts';
import { errorsDe } from './de/errors.ts';
import { mailsDe } from './de/mails.ts';
import { myDe } from './de/my.ts';
import { pagesDe } from './de/pages.ts';
import { refusalsDe } from './de/refusals.ts';
import { registerDe } from './de/register.ts';
import { securityDe } from './de/security.ts';
import { siteDe } from './de/site.ts';
import type { Messages } from './types.ts';

export const de: Messages = {
  ...securityDe,
  ...myDe,
  ...consoleDe,
  ...deviceDe,
  ...accountDe,
  ...pagesDe,
  ...errorsDe,
  ...mailsDe,
  ...refusalsDe,
  ...registerDe,
  ...siteDe,
};
