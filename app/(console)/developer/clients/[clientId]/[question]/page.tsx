import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { clientQuestionPage } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('A question about an application');

export default clientQuestionPage('developer');
