import type { Messages } from '../types.ts';
import { errorsDe } from './errors.ts';
import { mailsDe } from './mails.ts';
import { pagesDe } from './pages.ts';
import { registerDe } from './register.ts';

export const de: Messages = { ...pagesDe, ...errorsDe, ...mailsDe, ...registerDe };
