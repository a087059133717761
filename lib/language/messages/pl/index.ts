import type { Messages } from '../types.ts';
import { errorsPl } from './errors.ts';
import { mailsPl } from './mails.ts';
import { pagesPl } from './pages.ts';
import { registerPl } from './register.ts';

export const pl: Messages = { ...pagesPl, ...errorsPl, ...mailsPl, ...registerPl };
