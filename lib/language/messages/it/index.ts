import type { Messages } from '../types.ts';
import { errorsIt } from './errors.ts';
import { mailsIt } from './mails.ts';
import { pagesIt } from './pages.ts';
import { registerIt } from './register.ts';

export const it: Messages = { ...pagesIt, ...errorsIt, ...mailsIt, ...registerIt };
