import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { codePage } from '#app/(console)/_subjects/client-code.tsx';

export const generateMetadata = pageTitle('Code');

export default codePage('admin');
