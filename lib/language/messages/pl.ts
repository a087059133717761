import { accountPl } from './pl/account.ts';
import { consolePl } from './pl/console.ts';
import { devicePl } from './pl/device.ts';
import { errorsPl } from './pl/errors.ts';
import { mailsPl } from './pl/mails.ts';
import { myPl } from './pl/my.ts';
import { pagesPl } from './pl/pages.ts';
import { refusalsPl } from './pl/refusals.ts';
import { registerPl } from './pl/register.ts';
import { securityPl } from './pl/security.ts';
import { sitePl } from './pl/site.ts';
import type { Messages } from './types.ts';

export const pl: Messages = {
  ...securityPl,
  ...myPl,
  ...consolePl,
  ...devicePl,
  ...accountPl,
  ...pagesPl,
  ...errorsPl,
  ...mailsPl,
  ...refusalsPl,
  ...registerPl,
  ...sitePl,
};
