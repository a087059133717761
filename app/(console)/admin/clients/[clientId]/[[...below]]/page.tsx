import { untitled } from '#app/(console)/_kit/page-language.ts';
import { clientPages } from '#app/(console)/_subjects/client-page.tsx';

export const metadata = untitled;

export default clientPages('admin');
