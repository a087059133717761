import type { Messages } from '../types.ts';
import { accountPl } from './account.ts';
import { errorsPl } from './errors.ts';
import { mailsPl } from './mails.ts';
import { pagesPl } from './pages.ts';
import { registerPl } from './register.ts';

export const pl: Messages = { ...accountPl, ...pagesPl, ...errorsPl, ...mailsPl, ...registerPl };
