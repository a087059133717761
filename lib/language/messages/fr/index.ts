import type { Messages } from '../types.ts';
import { errorsFr } from './errors.ts';
import { pagesFr } from './pages.ts';

export const fr: Messages = { ...pagesFr, ...errorsFr };
