import type { Messages } from '../types.ts';
import { accountIt } from './account.ts';
import { errorsIt } from './errors.ts';
import { mailsIt } from './mails.ts';
import { pagesIt } from './pages.ts';
import { registerIt } from './register.ts';

export const it: Messages = { ...accountIt, ...pagesIt, ...errorsIt, ...mailsIt, ...registerIt };
