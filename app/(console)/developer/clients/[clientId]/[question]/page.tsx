import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { type ClientQuestionProps, clientQuestionPage } from '#app/(console)/_subjects/object-pages.tsx';

export const generateMetadata = pageTitle('A question about an application');

export default function Page(props: ClientQuestionProps) {
  return clientQuestionPage('developer', props);
}
