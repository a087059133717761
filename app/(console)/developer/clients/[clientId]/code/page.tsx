import { codePage } from '#app/(console)/_clients/code.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Code');

export default function Page(props: ClientPageProps) {
  return codePage('developer', props);
}
