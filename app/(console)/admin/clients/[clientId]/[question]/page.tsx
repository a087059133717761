import type { Metadata } from 'next';
import { type ClientQuestionProps, clientQuestionPage } from '#app/(console)/_clients/question.tsx';

export const metadata: Metadata = { title: 'A question about an application' };

export default function Page(props: ClientQuestionProps) {
  return clientQuestionPage('admin', props);
}
