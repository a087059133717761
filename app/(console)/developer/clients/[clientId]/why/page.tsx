import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';
import { whyPage } from '#app/(console)/_clients/why.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Why?');

export default function Page(props: ClientPageProps) {
  return whyPage('developer', props);
}
