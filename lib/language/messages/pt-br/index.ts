import type { Messages } from '../types.ts';
import { errorsPtBR } from './errors.ts';
import { mailsPtBR } from './mails.ts';
import { pagesPtBR } from './pages.ts';
import { registerPtBR } from './register.ts';

export const ptBR: Messages = { ...pagesPtBR, ...errorsPtBR, ...mailsPtBR, ...registerPtBR };
