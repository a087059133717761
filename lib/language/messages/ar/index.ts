import type { Messages } from '../types.ts';
import { accountAr } from './account.ts';
import { errorsAr } from './errors.ts';
import { mailsAr } from './mails.ts';
import { pagesAr } from './pages.ts';
import { registerAr } from './register.ts';

export const ar: Messages = { ...accountAr, ...pagesAr, ...errorsAr, ...mailsAr, ...registerAr };
