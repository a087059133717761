import type { Messages } from '../types.ts';
import { accountDe } from './account.ts';
import { errorsDe } from './errors.ts';
import { mailsDe } from './mails.ts';
import { pagesDe } from './pages.ts';
import { registerDe } from './register.ts';

export const de: Messages = { ...accountDe, ...pagesDe, ...errorsDe, ...mailsDe, ...registerDe };
