import { accountFr } from './fr/account.ts';
import { consoleFr } from './fr/console.ts';
import { deviceFr } from './fr/device.ts';
import { errorsFr } from './fr/errors.ts';
import { mailsFr } from './fr/mails.ts';
import { myFr } from './fr/my.ts';
import { pagesFr } from './fr/pages.ts';
import { refusalsFr } from './fr/refusals.ts';
import { registerFr } from './fr/register.ts';
import { securityFr } from './fr/security.ts';
import { siteFr } from './fr/site.ts';
import type { Messages } from './types.ts';

export const fr: Messages = {
  ...securityFr,
  ...myFr,
  ...consoleFr,
  ...deviceFr,
  ...accountFr,
  ...pagesFr,
  ...errorsFr,
  ...mailsFr,
  ...refusalsFr,
  ...registerFr,
  ...siteFr,
};
