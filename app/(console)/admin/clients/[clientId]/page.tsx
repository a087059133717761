import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { clientPage } from '#app/(console)/_subjects/client-page.tsx';

export const generateMetadata = pageTitle('Application');

export default clientPage('admin');
