import { signInPreview } from '#app/(console)/_preview/sign-in.tsx';

export const dynamic = 'force-dynamic';
export const GET = signInPreview;
