import type { Messages } from '../types.ts';
import { accountPtBR } from './account.ts';
import { consolePtBR } from './console.ts';
import { devicePtBR } from './device.ts';
import { errorsPtBR } from './errors.ts';
import { mailsPtBR } from './mails.ts';
import { myPtBR } from './my.ts';
import { pagesPtBR } from './pages.ts';
import { refusalsPtBR } from './refusals.ts';
import { registerPtBR } from './register.ts';
import { securityPtBR } from './security.ts';
import { sitePtBR } from './site.ts';

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
