import type { Messages } from '../types.ts';
import { accountEs } from './account.ts';
import { errorsEs } from './errors.ts';
import { mailsEs } from './mails.ts';
import { pagesEs } from './pages.ts';
import { registerEs } from './register.ts';

export const es: Messages = { ...accountEs, ...pagesEs, ...errorsEs, ...mailsEs, ...registerEs };
