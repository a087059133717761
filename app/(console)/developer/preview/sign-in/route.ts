import { signInPreview } from '#app/(console)/_subjects/sign-in-preview.tsx';

export const dynamic = 'force-dynamic';
export const GET = signInPreview;
