import type { Messages } from '../types.ts';
import { accountPtBR } from './account.ts';
import { errorsPtBR } from './errors.ts';
import { mailsPtBR } from './mails.ts';
import { pagesPtBR } from './pages.ts';
import { registerPtBR } from './register.ts';

export const ptBR: Messages = { ...accountPtBR, ...pagesPtBR, ...errorsPtBR, ...mailsPtBR, ...registerPtBR };
