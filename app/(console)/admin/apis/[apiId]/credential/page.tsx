import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { askAboutApi } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('New credentials');

export default askAboutApi('credential', 'api-secret');
