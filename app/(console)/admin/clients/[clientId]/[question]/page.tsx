import { type ClientQuestionProps, clientQuestionPage } from '#app/(console)/_clients/question.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('A question about an application');

export default function Page(props: ClientQuestionProps) {
  return clientQuestionPage('admin', props);
}
