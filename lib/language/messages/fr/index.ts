import type { Messages } from '../types.ts';
import { accountFr } from './account.ts';
import { errorsFr } from './errors.ts';
import { mailsFr } from './mails.ts';
import { pagesFr } from './pages.ts';
import { registerFr } from './register.ts';

export const fr: Messages = { ...accountFr, ...pagesFr, ...errorsFr, ...mailsFr, ...registerFr };
