import type { Messages } from '../types.ts';
import { accountPl } from './account.ts';
import { consolePl } from './console.ts';
import { devicePl } from './device.ts';
import { errorsPl } from './errors.ts';
import { mailsPl } from './mails.ts';
import { myPl } from './my.ts';
import { pagesPl } from './pages.ts';
import { refusalsPl } from './refusals.ts';
import { registerPl } from './register.ts';
import { securityPl } from './security.ts';
import { sitePl } from './site.ts';

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
