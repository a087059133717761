import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { whyPage } from '#app/(console)/_subjects/why.tsx';

export const generateMetadata = pageTitle('Why?');

export default whyPage('developer');
