import { accountPtBR } from './pt-br/account.ts';
import { consolePtBR } from './pt-br/console.ts';
import { devicePtBR } from './pt-br/device.ts';
import { errorsPtBR } from './pt-br/errors.ts';
import { mailsPtBR } from './pt-br/mails.ts';
import { myPtBR } from './pt-br/my.ts';
import { pagesPtBR } from './pt-br/pages.ts';
import { refusalsPtBR } from './pt-br/refusals.ts';
import { registerPtBR } from './pt-br/register.ts';
import { securityPtBR } from './pt-br/security.ts';
import { sitePtBR } from './pt-br/site.ts';
import type { Messages } from './types.ts';

export const ptBR: Messages = {
  ...securityPtBR,
  ...myPtBR,
  ...consolePtBR,
  ...devicePtBR,
  ...accountPtBR,
  ...pagesPtBR,
  ...errorsPtBR,
  ...mailsPtBR,
  ...refusalsPtBR,
  ...registerPtBR,
  ...sitePtBR,
};
