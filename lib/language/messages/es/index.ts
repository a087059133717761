import type { Messages } from '../types.ts';
import { errorsEs } from './errors.ts';
import { mailsEs } from './mails.ts';
import { pagesEs } from './pages.ts';

export const es: Messages = { ...pagesEs, ...errorsEs, ...mailsEs };
