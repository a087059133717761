import { submitHandlers } from '#app/(console)/_kit/dispatch.ts';
import { forms } from '../forms.ts';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = submitHandlers('admin', forms);
