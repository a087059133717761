import type { Messages } from '../types.ts';
import { accountTr } from './account.ts';
import { errorsTr } from './errors.ts';
import { mailsTr } from './mails.ts';
import { pagesTr } from './pages.ts';
import { registerTr } from './register.ts';

export const tr: Messages = { ...accountTr, ...pagesTr, ...errorsTr, ...mailsTr, ...registerTr };
