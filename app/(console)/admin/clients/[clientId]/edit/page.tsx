import { editClientPage } from '#app/(console)/_clients/edit-client.tsx';
import type { ClientPageProps } from '#app/(console)/_clients/visit-client.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';

export const generateMetadata = titled('Edit');

export default function Page(props: ClientPageProps) {
  return editClientPage('admin', props);
}
