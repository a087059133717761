import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { requestsPage } from '#app/(console)/_subjects/client-lists.tsx';

export const generateMetadata = pageTitle('Requests');

export default requestsPage('admin');
