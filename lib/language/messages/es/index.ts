import type { Messages } from '../types.ts';
import { errorsEs } from './errors.ts';
import { mailsEs } from './mails.ts';
import { pagesEs } from './pages.ts';
import { registerEs } from './register.ts';

export const es: Messages = { ...pagesEs, ...errorsEs, ...mailsEs, ...registerEs };
