import type { Messages } from '../types.ts';
import { accountJa } from './account.ts';
import { errorsJa } from './errors.ts';
import { mailsJa } from './mails.ts';
import { pagesJa } from './pages.ts';
import { registerJa } from './register.ts';

export const ja: Messages = { ...accountJa, ...pagesJa, ...errorsJa, ...mailsJa, ...registerJa };
