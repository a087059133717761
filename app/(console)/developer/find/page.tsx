import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { findPage } from '#app/(console)/_subjects/find-page.tsx';

export const generateMetadata = pageTitle('Find');

export default findPage('developer');
