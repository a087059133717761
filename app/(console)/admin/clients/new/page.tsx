import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { newClientPage } from '#app/(console)/_subjects/client-fields.tsx';

export const generateMetadata = pageTitle('Register an application');

export default newClientPage('admin');
