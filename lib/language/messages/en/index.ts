// English, which the other languages are typed by. Keys name the meaning; `{name}` is an argument of a message (ICU MessageFormat).
import { accountEn } from './account.ts';
import { errorsEn } from './errors.ts';
import { mailsEn } from './mails.ts';
import { pagesEn } from './pages.ts';
import { registerEn } from './register.ts';

export const en = { ...accountEn, ...pagesEn, ...errorsEn, ...mailsEn, ...registerEn };
