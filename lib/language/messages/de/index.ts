import type { Messages } from '../types.ts';
import { errorsDe } from './errors.ts';
import { mailsDe } from './mails.ts';
import { pagesDe } from './pages.ts';

export const de: Messages = { ...pagesDe, ...errorsDe, ...mailsDe };
