import type { Messages } from '../types.ts';
import { accountFr } from './account.ts';
import { consoleFr } from './console.ts';
import { deviceFr } from './device.ts';
import { errorsFr } from './errors.ts';
import { mailsFr } from './mails.ts';
import { myFr } from './my.ts';
import { pagesFr } from './pages.ts';
import { refusalsFr } from './refusals.ts';
import { registerFr } from './register.ts';
import { securityFr } from './security.ts';
import { siteFr } from './site.ts';

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
