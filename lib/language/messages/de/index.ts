import type { Messages } from '../types.ts';
import { accountDe } from './account.ts';
import { consoleDe } from './console.ts';
import { deviceDe } from './device.ts';
import { errorsDe } from './errors.ts';
import { mailsDe } from './mails.ts';
import { myDe } from './my.ts';
import { pagesDe } from './pages.ts';
import { refusalsDe } from './refusals.ts';
import { registerDe } from './register.ts';
import { securityDe } from './security.ts';
import { siteDe } from './site.ts';

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
