import type { Messages } from '../types.ts';
import { errorsJa } from './errors.ts';
import { mailsJa } from './mails.ts';
import { pagesJa } from './pages.ts';
import { registerJa } from './register.ts';

export const ja: Messages = { ...pagesJa, ...errorsJa, ...mailsJa, ...registerJa };
