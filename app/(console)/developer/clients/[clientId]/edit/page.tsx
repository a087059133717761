import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { editClientPage } from '#app/(console)/_subjects/client-fields.tsx';

export const generateMetadata = pageTitle('Edit');

export default editClientPage('developer');
